const { test } = require('node:test');
const { execFileSync } = require('node:child_process');
const { sign } = require('../lib/a.js');

test('positive', () => { sign(1); });
test('in another process', () => { execFileSync(process.execPath, ['-e', 'require("./lib/a.js").spawned()']); });
