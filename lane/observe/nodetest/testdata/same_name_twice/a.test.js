const test = require('node:test');
const assert = require('node:assert');
test('twin', () => {});
test('twin', () => assert.fail('second'));
test('twin', () => {});
