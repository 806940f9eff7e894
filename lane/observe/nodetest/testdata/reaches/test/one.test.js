const { test } = require('node:test');
const { sign } = require('../lib/a.js');

test('negative', () => { sign(-1); });
