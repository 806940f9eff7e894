// Reads what NODE_V8_COVERAGE left of each test file, and writes which lines of the tree its processes ran. It runs after them, in the same
// box: what it reads may have been written by anybody, and is bounded by that box.
'use strict';

const { readFileSync, readdirSync, writeFileSync } = require('fs');
const path = require('path');
const { fileURLToPath } = require('url');

const { tree, folder, units, out } = JSON.parse(readFileSync(path.join(__dirname, 'reach.json'), 'utf8'));

function main() {
  const reached = {};
  units.forEach((unit, i) => {
    const files = reach(path.join(folder, String(i)));
    // A file that ended without a word of its own may have reached anything.
    if (files.has(unit)) reached[unit] = Object.fromEntries([...files].map(([file, lines]) => [file, runs(lines)]));
  });
  writeFileSync(out, JSON.stringify({ units: reached }));
}

// reach maps files to the set of their lines that any process of a test file ran.
function reach(dir) {
  const files = new Map();
  for (const name of list(dir)) {
    const report = parse(path.join(dir, name));
    const maps = report['source-map-cache'] ?? {};
    for (const { url, functions } of report.result ?? []) {
      const file = inTree(url);
      if (!file) continue;
      add(files, file, maps[url] ? undefined : functions);
      // Of code that was made from other code, lines cannot tell.
      for (const source of maps[url]?.data?.sources ?? []) {
        const from = inTree(resolved(source, url));
        if (from) add(files, from, undefined);
      }
    }
  }
  return files;
}

function list(dir) {
  try {
    return readdirSync(dir).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

function parse(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function resolved(source, url) {
  try {
    return new URL(source, url).href;
  } catch {
    return '';
  }
}

// inTree is the path of a file within the tree, or nothing.
function inTree(url) {
  if (!String(url).startsWith('file:')) return undefined;
  let file;
  try {
    file = path.relative(tree, fileURLToPath(url));
  } catch {
    return undefined;
  }
  return file.startsWith('..') || path.isAbsolute(file) || `/${file}`.includes('/node_modules/') ? undefined : file;
}

function add(files, file, functions) {
  let text;
  try {
    text = readFileSync(path.join(tree, file), 'utf8').replace(/^\ufeff/, '');
  } catch {
    return;
  }
  const lines = files.get(file) ?? new Set();
  files.set(file, lines);
  const ran = functions ? counted(text, functions) : undefined;
  let line = 1;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\n') line++;
    else if ((!ran || ran[at]) && text[at].trim()) lines.add(line);
  }
}

// counted says of each place whether it ran; undefined where the places are those of another text.
function counted(text, functions) {
  const ranges = functions.flatMap((f) => f.ranges).sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const ran = new Uint8Array(text.length);
  for (const { startOffset, endOffset, count } of ranges) {
    if (endOffset > text.length + 1) return undefined;
    ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  return ran;
}

// runs are lines as pairs of the first and the last.
function runs(lines) {
  const out = [];
  for (const line of [...lines].sort((a, b) => a - b)) {
    if (out.length > 0 && out.at(-1)[1] === line - 1) out.at(-1)[1] = line;
    else out.push([line, line]);
  }
  return out;
}

main();
