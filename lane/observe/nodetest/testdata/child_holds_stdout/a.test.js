const test = require('node:test');
const assert = require('node:assert');
const { spawn } = require('child_process');

test('starts a server', () => {
  spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { detached: true, stdio: 'inherit' }).unref();
});
