const test = require('node:test');
const assert = require('node:assert');
const { describe, it, before, afterEach } = test;

describe('before', () => {
  before(() => { throw new Error('no database'); });
  it('reads', () => {});
});
describe('after', () => {
  afterEach(() => { throw new Error('no clean-up'); });
  it('writes', () => {});
});
