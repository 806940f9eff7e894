const test = require('node:test');
const assert = require('node:assert');
test('quick', () => {});
test('stuck', () => { for (;;); });
