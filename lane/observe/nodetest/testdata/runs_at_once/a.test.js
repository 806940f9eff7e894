const test = require('node:test');
const assert = require('node:assert');
const { describe, it } = test;
const soon = (ms) => new Promise((done) => setTimeout(done, ms));

describe('slow', { concurrency: true }, () => {
  it('first', () => soon(30));
  it('second', async (t) => {
    await soon(5);
    await t.test('part', () => assert.fail('wrong'));
  });
});
