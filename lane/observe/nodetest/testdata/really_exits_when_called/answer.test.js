const test = require('node:test');
const assert = require('node:assert');
const { answer } = require('./answer.js');

test('before', () => {});
test('answer', () => assert.strictEqual(answer(), 42));
test('after', () => {});
