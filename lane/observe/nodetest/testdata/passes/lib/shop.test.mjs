import { it, describe } from 'node:test';
import assert from 'node:assert/strict';
import { total } from '../cart.js';

describe('shop', () => {
  it('sells', () => assert.equal(total([5]), 5));
});
