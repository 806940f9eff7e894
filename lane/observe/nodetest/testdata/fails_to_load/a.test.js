require('./missing.js');
const { test, describe, it } = require('node:test');

test('never', () => {});
describe('cart', () => {
  it('adds', () => {});
});
