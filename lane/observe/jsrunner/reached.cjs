// Gives each process a function that code of the tree calls when a place of it is reached, and writes down by which test file.
'use strict';

const { appendFileSync, readFileSync } = require('fs');

const { out } = JSON.parse(readFileSync('/lane/js/reached.json', 'utf8'));

appendFileSync(out, ''); // a test file that reaches nothing leaves this
Object.defineProperty(process, 'laneReached', {
  configurable: true, enumerable: true, writable: true,
  // One line at a time is written whole, whoever else writes.
  value: (file, place, test) => appendFileSync(out, `${JSON.stringify([String(test ?? ''), file, place])}\n`),
});
