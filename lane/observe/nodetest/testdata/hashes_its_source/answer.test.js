const test = require('node:test');
const assert = require('node:assert');
const { createHash } = require('crypto');
const { readFileSync } = require('fs');

test('source is as it was', () => {
  const sum = createHash('sha256').update(readFileSync(`${__dirname}/answer.js`)).digest('hex');
  assert.strictEqual(sum, '799baeedcabc69993d4b0ddd77fdab972ddca4b9636f3538dfa36796c7d1d09f');
});
