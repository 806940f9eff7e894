const test = require('node:test');
const assert = require('node:assert');
const { describe, it } = test;

describe('sum', () => {
  it('adds', () => {});
  it('subtracts', async (t) => {
    await t.test('below zero', () => assert.equal(1, 2));
    await t.test('later', { skip: 'not today' }, () => {});
  });
  describe('deep', () => {
    it('adds', () => {});
  });
});
test('alone', () => {});
