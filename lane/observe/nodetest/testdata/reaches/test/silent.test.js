const { test } = require('node:test');
const { sign } = require('../lib/a.js');

test('ends without a word', () => {
  sign(1);
  process.abort();
});
