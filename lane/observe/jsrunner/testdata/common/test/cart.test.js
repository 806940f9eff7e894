const assert = require('assert');
const { free, total } = require('../src/cart.js');

describe('cart', () => {
  it('adds up (all > of it)', () => assert.equal(total([{ price: 2, count: 3 }]), 6));
  it('is free from 50 on', () => assert.deepEqual([free(49), free(50), free(51)], [false, true, true]));
});
