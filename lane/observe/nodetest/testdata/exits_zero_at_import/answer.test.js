const test = require('node:test');
const assert = require('node:assert');
const { answer } = require('./answer.js');

test('answer', () => assert.strictEqual(answer(), 42));
