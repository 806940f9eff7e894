const assert = require('assert');

it('one is one', () => assert.equal(1, 1));
