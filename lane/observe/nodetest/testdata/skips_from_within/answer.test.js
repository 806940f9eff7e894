const test = require('node:test');
const assert = require('node:assert');
const { answer } = require('./answer.js');

test('answer', (t) => assert.strictEqual(answer(t), 42));
