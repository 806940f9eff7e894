// Writes down how each test ended, for mocha, and prints what failed.
'use strict';

const { readFileSync, writeFileSync } = require('fs');
const path = require('path');

const { tree, out } = JSON.parse(readFileSync('/lane/js/plan.json', 'utf8'));

module.exports = function (runner) {
  const files = new Map();
  const put = (test, status, error) => {
    const file = path.relative(tree, test.file ?? tree);
    const message = error && String(error.stack ?? error.message ?? error).slice(0, 4096);
    if (!files.has(file)) files.set(file, []);
    files.get(file).push({ name: test.titlePath(), status, ms: test.duration ?? 0, message });
    if (error) console.log(`failed: ${test.titlePath().join(' > ')}\n${message}`);
  };
  runner.on('pass', (test) => put(test, 'passed'));
  runner.on('pending', (test) => put(test, 'skipped'));
  runner.on('fail', (what, error) => {
    if (what.type !== 'hook') return put(what, 'failed', error);
    // A hook that fails fails the test that it is for, or all of its suite.
    const test = what.ctx?.currentTest;
    if (test && / each" hook/.test(what.title)) return put(test, 'failed', error);
    what.parent.eachTest((t) => put(t, 'failed', error));
  });
  runner.on('end', () => {
    writeFileSync(out, JSON.stringify({ files: [...files].map(([file, tests]) => ({ file, tests })) }));
  });
};
