const assert = require('assert');
assert.equal(1 + 1, 3);
