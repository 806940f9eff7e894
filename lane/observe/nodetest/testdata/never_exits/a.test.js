const test = require('node:test');
const assert = require('node:assert');
setInterval(() => {}, 1000);
test('fine', () => {});
