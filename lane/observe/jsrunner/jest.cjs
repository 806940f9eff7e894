// Writes down how each test ended, for jest.
'use strict';

const { readFileSync, writeFileSync } = require('fs');
const path = require('path');

const { tree, out } = JSON.parse(readFileSync('/lane/js/plan.json', 'utf8'));
const statuses = { passed: 'passed', failed: 'failed', pending: 'skipped', skipped: 'skipped', todo: 'skipped', disabled: 'skipped' };

module.exports = class {
  onRunComplete(_, results) {
    const files = results.testResults.map((file) => {
      // What fails in the file and in no test of it (a hook after all tests) is a failure of them all.
      const wrong = file.testExecError ? said([file.failureMessage ?? file.testExecError.message]) : undefined;
      const tests = file.testResults.filter((t) => statuses[t.status]).map((t) => ({
        name: [...t.ancestorTitles, t.title], status: wrong && t.status === 'passed' ? 'failed' : statuses[t.status],
        ms: t.duration ?? 0, message: wrong ?? said(t.failureMessages),
      }));
      return { file: path.relative(tree, file.testFilePath), tests, error: tests.length === 0 ? wrong : undefined };
    });
    writeFileSync(out, JSON.stringify({ files }));
  }
};

function said(messages) {
  return messages?.length ? messages.join('\n').slice(0, 4096) : undefined;
}
