const { total } = require('./cart.js');

exports.short = (name) => (name.length > 8 ? `${name.slice(0, 7)}…` : name);

exports.never = (n) => n + total([]) + 1;
