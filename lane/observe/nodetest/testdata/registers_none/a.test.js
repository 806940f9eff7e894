const test = require('node:test');
const assert = require('node:assert');
