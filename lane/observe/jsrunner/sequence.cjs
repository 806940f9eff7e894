// Has jest run those test files first that are asked first.
'use strict';

const { readFileSync } = require('fs');

const { order = [] } = JSON.parse(readFileSync('/lane/js/plan.json', 'utf8'));

module.exports = class {
  sort(tests) {
    const place = ({ path }) => (order.indexOf(path) + order.length + 1) % (order.length + 1);
    return [...tests].sort((a, b) => place(a) - place(b));
  }

  shard(tests) {
    return tests;
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
};
