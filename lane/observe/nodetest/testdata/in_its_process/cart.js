exports.total = (items) => items.reduce((sum, x) => sum + x, 0);
