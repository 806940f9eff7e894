// Copies a tree as a build left it, but for the repository that it may lie in. It runs after the build, in the same box.
'use strict';

const { cpSync } = require('fs');
const path = require('path');

const [from, to] = process.argv.slice(2);
const left = path.join(from, '.git');
cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true, filter: (name) => name !== left });
