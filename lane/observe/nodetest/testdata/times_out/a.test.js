const test = require('node:test');

test('stuck', { timeout: 50 }, () => new Promise((done) => setTimeout(done, 60000).unref()));
test('quick', () => {});
const alive = setInterval(() => {}, 10);
test('last', () => clearInterval(alive));
