const test = require('node:test');

test('stands still', (t) => {
  t.mock.timers.enable();
  process.hrtime.bigint = () => 0n;
});
