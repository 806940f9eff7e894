// Runs programs one after the other and writes what each prints. Argument: a JSON file with a list of {name, text, value}; value goes into
// the file "switch" beside it. A loop that asks tick() ends.
'use strict';

const fs = require('fs');
const path = require('path');
const Module = require('module');
const { pathToFileURL } = require('url');
const { inspect } = require('util');

const dir = path.dirname(process.argv[2]);
let left = 0;
globalThis.tick = () => {
  if (left-- <= 0) throw new Error('too many rounds');
  return true;
};

async function run({ name, text, value }, i) {
  const file = path.join(dir, `${i}.${name}`);
  fs.writeFileSync(file, text);
  fs.writeFileSync(path.join(dir, 'switch'), value);
  const printed = [];
  console.log = (...args) => printed.push(args.map((x) => inspect(x)).join(' '));
  const failed = (e) => printed.push(`failed: ${e?.name ?? typeof e} ${e?.message ?? e}`);
  const onRejection = (e) => failed(e);
  process.on('unhandledRejection', onRejection);
  left = 200;
  try {
    if (name.endsWith('.mjs')) await import(pathToFileURL(file));
    else load(file);
  } catch (e) {
    failed(e);
  }
  await new Promise((done) => setTimeout(done, 1));
  process.off('unhandledRejection', onRejection);
  return printed.join('\n').replaceAll(`${i}.${name}`, name);
}

function load(file) {
  const m = new Module(file);
  m.filename = file;
  m.load(file);
}

(async () => {
  const out = [];
  for (const [i, one] of JSON.parse(fs.readFileSync(process.argv[2], 'utf8')).entries()) out.push(await run(one, i));
  fs.writeFileSync(1, JSON.stringify(out));
})();
