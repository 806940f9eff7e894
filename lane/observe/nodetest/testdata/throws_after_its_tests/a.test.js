const test = require('node:test');
const assert = require('node:assert');
test('fine', () => {});
process.on('exit', () => {});
setTimeout(() => { throw new Error('late'); }, 50);
