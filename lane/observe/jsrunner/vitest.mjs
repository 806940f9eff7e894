// Writes down how each test ended, for vitest of all releases that hand over their own list of files (0.x to 2) or of modules (from 3 on).
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const { tree, out, order } = JSON.parse(readFileSync('/lane/js/plan.json', 'utf8'));

export default class {
  onInit(vitest) {
    if (!order) return;
    const sorted = (Base) => class extends Base {
      async sort(files) {
        return inOrder(await super.sort(files));
      }
    };
    for (const { config } of [vitest, ...(vitest.projects ?? [])]) {
      if (config?.sequence?.sequencer) config.sequence.sequencer = sorted(config.sequence.sequencer);
    }
  }

  onFinished(files = []) {
    write(files);
  }

  onTestRunEnd(modules) {
    write(modules.map((m) => m.task));
  }
}

// inOrder puts the files that are asked first to the front. A file is a path, or a pair of a project and a path, or an object that has one.
function inOrder(files) {
  const place = (file) => {
    const at = order.indexOf(file.moduleId ?? (Array.isArray(file) ? file[1] : file));
    return at < 0 ? order.length : at;
  };
  return [...files].sort((a, b) => place(a) - place(b));
}

function write(files) {
  writeFileSync(out, JSON.stringify({
    files: files.map((file) => {
      const tests = [];
      walk(file, [], [], tests);
      return { file: path.relative(tree, file.filepath), tests, error: tests.length === 0 ? said(file.result?.errors) : undefined };
    }),
  }));
}

// walk lists the tests of a suite. Where a hook of the suite failed, all of them have.
function walk(suite, titles, errors, tests) {
  const wrong = [...errors, ...(suite.result?.errors ?? [])];
  for (const task of suite.tasks ?? []) {
    const name = [...titles, task.name];
    if (task.type === 'suite') {
      walk(task, name, wrong, tests);
      continue;
    }
    const state = task.result?.state;
    const skipped = task.mode === 'skip' || task.mode === 'todo' || state === 'skip';
    const failed = state === 'fail' || wrong.length > 0;
    if (!skipped && !failed && state !== 'pass') continue; // it never ended
    tests.push({
      name, status: failed && !skipped ? 'failed' : skipped ? 'skipped' : 'passed', ms: task.result?.duration ?? 0,
      message: said([...(task.result?.errors ?? []), ...wrong]),
    });
  }
}

function said(errors) {
  return errors?.length ? errors.map((e) => String(e.stack ?? e.message ?? e)).join('\n').slice(0, 4096) : undefined;
}
