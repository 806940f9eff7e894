const { answer } = require('./answer.js');
const assert = require('node:assert');
const { test } = require('node:test');

test('answer', () => assert.strictEqual(answer(), 42));
