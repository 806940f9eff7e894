const test = require('node:test');
const assert = require('node:assert');
const { total } = require('../cart.js');

test('adds up', () => assert.strictEqual(total([1, 2]), 3));
test('nothing is zero', async () => assert.strictEqual(total([]), 0));
