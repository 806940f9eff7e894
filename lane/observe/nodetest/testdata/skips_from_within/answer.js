exports.answer = (t) => { t.skip(); return 42; };
