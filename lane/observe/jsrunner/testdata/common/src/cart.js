exports.total = function total(items) {
  return items.reduce((sum, x) => sum + x.price * x.count, 0);
};

exports.free = (sum) => sum >= 50;
