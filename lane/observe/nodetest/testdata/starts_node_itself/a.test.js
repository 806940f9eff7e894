const test = require('node:test');
const assert = require('node:assert');
const { execFileSync } = require('child_process');

test('a child sees nothing of the observer', () => {
  const out = execFileSync(process.execPath, ['-p', '[process.env.LANE_EVENTS, process.env.NODE_OPTIONS].join()'], { encoding: 'utf8' });
  assert.strictEqual(out.trim(), ',--no-warnings');
});
test('a child may run tests of its own', () => {
  const inner = "require('node:test').test('inner', () => { throw new Error('theirs') })";
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT;
  assert.throws(() => execFileSync(process.execPath, ['-e', inner], { stdio: 'pipe', env }));
});
test('a worker is no test file', async () => {
  const { Worker } = require('worker_threads');
  await new Promise((done) => new Worker('setTimeout(() => {}, 1)', { eval: true }).on('exit', done));
});
