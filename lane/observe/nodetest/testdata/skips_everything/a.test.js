const test = require('node:test');
const assert = require('node:assert');
const { describe, it } = test;

test('skipped', { skip: true }, () => {});
test('skips itself', (t) => t.skip('no network'));
test('todo', { todo: 'one day' }, () => assert.fail('not yet'));
describe('all of it', () => {
  it.skip('one', () => {});
  it.skip('two', () => {});
});
describe.skip('never entered', () => it('three', () => {}));
describe('empty', () => {});
