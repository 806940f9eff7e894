// Lane's observer, preloaded into every Node.js process of a run by NODE_OPTIONS. It takes what it uses before any other
// code runs, since that code may replace it later. See the package's doc comment for what it does and why it sits where it
// sits.
'use strict';

const { writeSync, fstatSync, readFileSync } = require('fs');
const { isMainThread } = require('worker_threads');
const { AsyncResource } = require('async_hooks');
const path = require('path');
const { Readable } = require('stream');
const { ChildProcess } = require('child_process');
const { stringify, parse } = JSON;
const { hrtime } = process;
const { setPrototypeOf, getPrototypeOf } = Object;
const { apply } = Reflect;
const { Function } = globalThis;
const { relative, resolve } = path;
const reallySetInterval = setInterval;
const reallySetTimeout = setTimeout;
const on = process.on.bind(process);
const exit = process.exit.bind(process);

const patience = 3; // seconds without news after the last test until the session counts as over although the process is not
const whole = '(file)'; // the name of the test that a file as a whole is
const leftOut = ['test name does not match pattern', "'only' option not set"]; // the words of older releases for what a filter leaves out

// A process that holds the descriptor has its number in LANE_EVENTS; what merely inherits the variable does not hold it.
const fd = isMainThread ? Number(process.env.LANE_EVENTS) : NaN;
let passing = false; // the descriptor goes on to child processes

function isSocket(fd) {
  try {
    return fstatSync(fd).isSocket();
  } catch {
    return false;
  }
}

function main() {
  const plan = parse(readFileSync(path.join(__dirname, 'plan.json'), 'utf8'));
  const runner = process.execArgv.includes('--test');
  if (process.env.LANE_NODE === 'file') return observe(plan, true);
  delete process.env.NODE_TEST_CONTEXT; // one from outside would make the runner believe that it is a test file
  conduct();
  if (!runner) observe(plan, false); // a script that may hold tests itself, run as "node cart.test.js"
}

// conduct passes the descriptor on to child processes: Node.js would close it.
function conduct() {
  passing = true;
  const spawn = ChildProcess.prototype.spawn;
  ChildProcess.prototype.spawn = function(options) {
    if (passing && options && typeof options === 'object') hand(options);
    return apply(spawn, this, arguments);
  };
}

function hand(options) {
  const given = options.stdio ?? 'pipe';
  const stdio = Array.isArray(given) ? [...given] : [given, given, given];
  while (stdio.length < 3) stdio.push('pipe');
  let at = 3;
  while (stdio[at] !== undefined && stdio[at] !== null && stdio[at] !== 'ignore') at++;
  stdio[at] = fd;
  options.stdio = stdio;
  const env = (options.envPairs ?? []).filter((kv) => !/^LANE_(EVENTS|NODE)=/.test(kv));
  const file = env.some((kv) => kv.startsWith('NODE_TEST_CONTEXT=child')); // the runner starts a test file
  env.push(`LANE_EVENTS=${at}`, `LANE_NODE=${file ? 'file' : 'other'}`);
  options.envPairs = env;
}

// observe makes this process a unit: at once, or when its first test is registered.
function observe(plan, atOnce) {
  const script = process.argv[1] ? resolve(process.argv[1]) : '';
  const unit = relative(plan.tree, script).replaceAll('\\', '/');
  if (atOnce) clean();

  let n = 0;
  let session = null; // between begin and end
  let said = false; // whether anything was said at all
  let drained = false;
  let failed = false;
  let uncaught = '';
  let stopped = false;
  let news = now();
  const top = new Set(); // names listed, of the whole process
  const asked = new Set(plan.select?.[unit] ?? []);
  const twins = new Map(); // how often a name came, per place where it can come
  const at = []; // the open test of each level, in the order of the reports
  const running = []; // sets of names that run, per level
  const open = new Map(); // name to its node
  const scope = new AsyncResource('LaneObserver');
  let planted = false;
  // Recent releases say nothing of the end of a test that their own filter leaves out, so only what is reported began for sure.
  const filter = process.execArgv.some((arg) => /^--(test-name-pattern|test-skip-pattern|test-only|experimental-test-tag-filter)\b/.test(arg));
  const early = plan.select !== undefined || !filter;

  // clean takes Lane's own variables away from child processes of the tests, and leaves them the task's.
  function clean() {
    passing = false;
    delete process.env.LANE_EVENTS;
    delete process.env.LANE_NODE;
    if (plan.options) process.env.NODE_OPTIONS = plan.options;
    else delete process.env.NODE_OPTIONS;
  }

  function now() {
    return Number(hrtime.bigint() / 1000000n);
  }

  function send(event, rest) {
    const record = { __proto__: null, v: 1, e: event, p: process.pid, n: ++n, u: unit, ...rest };
    setPrototypeOf(record, null);
    try {
      writeSync(fd, stringify(record));
    } catch {
      // The descriptor is gone: the missing records say so.
    }
  }

  function list(names) {
    return setPrototypeOf(names, null);
  }

  function ensure() {
    news = now();
    if (session) return;
    session = { listed: 0, started: 0 };
    said = true;
    send('begin', { runs: 1, late: true, failfast: plan.failfast === true });
  }

  function enroll(name) {
    ensure();
    if (top.has(name)) return;
    top.add(name);
    session.listed++;
    send('list', { tests: list([name]) });
  }

  function start(node) {
    if (node.started) return;
    node.started = true;
    if (node.level === 0) enroll(node.name);
    ensure();
    session.started++;
    open.set(node.name, node);
    send('start', { t: node.name });
  }

  function finish(node, status, seconds, message) {
    if (node.done) return;
    node.done = true;
    open.delete(node.name);
    if (status === 'failed') {
      failed = true;
      send('fail', { t: node.name, m: message });
    }
    send('finish', { t: node.name, s: status, ns: Math.max(0, Math.round(seconds * 1e9)) || 0, m: status === 'failed' ? '' : message });
  }

  // place names a test within its parent; a name that comes again gets a number.
  function place(kind, parent, name) {
    const plain = (parent ? parent + ' > ' : '') + word(name);
    const key = kind + '\0' + plain;
    const count = (twins.get(key) ?? 0) + 1;
    twins.set(key, count);
    return count === 1 ? plain : `${plain} #${count}`;
  }

  function word(name) {
    const text = String(name).toWellFormed?.() ?? String(name);
    const one = text.replace(/\s+/g, ' ').trim().replaceAll(' > ', ' › ');
    return one.length > 500 ? one.slice(0, 500) + '…' : one || '<anonymous>';
  }

  const nodes = new Map();
  function node(name, level) {
    let it = nodes.get(name);
    if (!it) {
      it = { name, level, started: false, done: false, parts: 0, skipped: 0, left: plan.select && !asked.has(name.split(' > ')[0]) };
      nodes.set(name, it);
    }
    return it;
  }

  const hear = {
    __proto__: null,
    'test:enqueue'(e) {
      if (e.nesting !== 0) return;
      const it = node(place('enqueue', '', e.name), 0);
      if (early && !it.left) enroll(it.name);
      if (!planted) plant();
    },
    // It begins to run. Where several tests of one level run at once, whose part it is shows only in the reports, which
    // come in order.
    'test:dequeue'(e) {
      const level = e.nesting;
      running.length = Math.min(running.length, level + 1);
      let parent = '';
      if (level > 0) {
        const up = running[level - 1];
        if (!up || up.size !== 1) return;
        parent = [...up][0];
      }
      const it = node(place('run', parent, e.name), level);
      (running[level] ??= new Set()).add(it.name);
      if (early && !it.left && !it.done) start(it);
    },
    'test:start'(e) {
      const level = e.nesting;
      const parent = level > 0 ? at[level - 1]?.name ?? '' : '';
      const it = node(place('report', parent, e.name), level);
      at[level] = it;
      at.length = level + 1;
    },
    'test:pass'(e) { ended(e, true); },
    'test:fail'(e) { ended(e, false); },
  };

  function ended(e, passed) {
    const it = at[e.nesting];
    if (!it) return;
    at.length = e.nesting;
    running[e.nesting]?.delete(it.name);
    if (filter && leftOut.includes(e.skip)) return;
    let status = passed ? 'passed' : 'failed';
    let message = '';
    if (e.skip !== undefined) [status, message] = ['skipped', text('skipped', e.skip)];
    else if (e.todo !== undefined) [status, message] = ['skipped', text('todo', e.todo)];
    else if (e.expectFailure !== undefined && passed) [status, message] = ['skipped', text('expected to fail', e.expectFailure)];
    else if (!passed) message = why(e);
    else if (e.details?.type === 'suite' && it.parts === it.skipped) {
      [status, message] = ['skipped', it.parts ? 'all of it was skipped' : 'no test in it'];
    }
    const up = at[e.nesting - 1];
    if (up) {
      up.parts++;
      if (status === 'skipped') up.skipped++;
    }
    if (it.left) return;
    if (!it.started) {
      for (const above of at) start(above);
      start(it);
    }
    finish(it, status, (e.details?.duration_ms ?? 0) / 1000, message);
    if (plan.failfast && failed && open.size === 0) stop();
  }

  // stop ends the process at its first failure, once that was told.
  function stop() {
    stopped = true;
    exit(1);
  }

  function text(word, reason) {
    return typeof reason === 'string' && reason ? `${word}: ${reason}` : word;
  }

  function why(e) {
    const where = e.file ? `${relative(plan.tree, e.file)}:${e.line}: ` : '';
    return (where + describe(e.details?.error)).slice(0, 8000);
  }

  function describe(error) {
    try {
      const cause = error?.cause ?? error;
      if (cause && typeof cause === 'object' && typeof cause.stack === 'string') return cause.stack;
      return String(cause?.message ?? cause);
    } catch {
      return 'an error that cannot be shown';
    }
  }

  // plant registers the canaries of this unit, once its first own test is there: what they use is then what the suite uses.
  function plant() {
    planted = true;
    const only = process.execArgv.includes('--test-only');
    for (const canary of plan.canaries?.[unit] ?? []) {
      const body = new Function('assert', canary.body);
      const run = () => body(require('node:assert'));
      scope.runInAsyncScope(() => {
        require('node:test').test(canary.name, only ? { only: true } : {}, canary.async ? async () => run() : run);
      });
    }
  }

  function watch(type, event) {
    const f = hear[type];
    if (!f || !event) return;
    if (type !== 'test:diagnostic' && !atOnce && !session) {
      // The first test of a script, or a runner's own entry for a file that it is about to start.
      if (event.line === 1 && event.column === 1 && event.file && resolve(event.name) === event.file) return;
      clean();
    }
    f(event);
  }

  // The stream of node:test tells each event to its listeners as it happens. Its class is found by the first event that passes.
  const inherited = Readable.prototype.emit;
  const own = Object.hasOwn(Readable.prototype, 'emit');
  Readable.prototype.emit = function(type, event) {
    if (typeof type === 'string' && type.startsWith('test:') && this.constructor?.name === 'TestsStream') {
      const stream = getPrototypeOf(this);
      if (own) Readable.prototype.emit = inherited;
      else delete Readable.prototype.emit;
      stream.emit = function(type, event) {
        watch(type, event);
        return apply(inherited, this, arguments);
      };
      watch(type, event);
    }
    return apply(inherited, this, arguments);
  };

  if (atOnce) ensure();

  on('uncaughtExceptionMonitor', (error) => { uncaught ||= describe(error); });
  on('beforeExit', () => {
    if (atOnce && !planted && top.size === 0 && plan.canaries?.[unit] && usesTests()) {
      plant(); // the file registers no test here and now, which a canary must not be blamed for
      reallySetTimeout(() => {}, 50);
      return;
    }
    drained = true;
  });
  on('exit', (code) => {
    if (!said) return;
    const waiting = [...top].some((name) => !nodes.get(name)?.done);
    if (open.size > 0 || waiting && !stopped) return; // it broke off: no end
    if (code !== 0 && !failed) {
      if (top.size === 0) missing(uncaught);
      alone('failed', uncaught || `it ended with exit status ${code}, and none of its tests failed`);
    } else if (atOnce && code === 0 && drained && top.size === 0 && !usesTests()) {
      alone('passed', '');
    }
    end(code);
  });

  function usesTests() {
    return process.moduleLoadList.some((m) => m === 'NativeModule test' || m === 'NativeModule internal/test_runner/harness');
  }

  // alone speaks of the file as a whole: one that holds no tests is one, as it is for the runner.
  function alone(status, message) {
    const it = { name: whole, level: 0, started: false, done: false };
    start(it);
    finish(it, status, 0, message.slice(0, 8000));
  }

  // missing tells of the tests that a file would have had, by its source, where it could not be loaded. The canaries are among them.
  function missing(message) {
    const chain = [];
    const close = () => finish(chain.pop(), 'failed', 0, ('its file cannot be loaded: ' + message).slice(0, 8000));
    const canaries = planted ? [] : plan.canaries?.[unit] ?? [];
    for (const name of [...plan.titles?.[unit] ?? [], ...canaries.map((canary) => canary.name)]) {
      const it = node(name, name.includes(' > ') ? 1 : 0);
      while (chain.length > 0 && !name.startsWith(chain.at(-1).name + ' > ')) close();
      if (it.left) continue;
      start(it);
      chain.push(it);
    }
    while (chain.length > 0) close();
  }

  function end(code) {
    if (!session) {
      if (code === 0) return;
      ensure();
    }
    send('end', { c: code, started: session.started, listed: session.listed });
    session = null;
  }

  // A handle that nobody closed keeps the process alive. Its session is over all the same.
  reallySetInterval(() => {
    if (!session || drained || top.size === 0 || open.size > 0 || now() - news < patience * 1000) return;
    if ([...top].every((name) => nodes.get(name)?.done)) end(failed ? 1 : 0);
  }, 1000).unref();
}

if (fd >= 3 && isSocket(fd)) main();
