"""Shuffles tests by a seed without tearing apart what shares fixtures: first the modules, then the classes within each,
then the functions, then the runs of each function."""

import random


def shuffle(items, key, seed):
    """Returns the items in another order. key gives the path of groups that holds an item, outermost first."""
    return _level([(tuple(key(i)), i) for i in items], 0, random.Random(seed))


class Picker:
    """Finds the items of an order's tests. It touches no others: a process that was forked pays for each page that it does."""

    def __init__(self, items, key, name):
        """items is the runner's own list."""
        self.key, self.all = key, items  # kept: where the runner lets go of them, each would be written to
        self.by_name = {}  # name -> [(place in the source, item)]
        for at, item in enumerate(self.all):
            self.by_name.setdefault(name(item), []).append((at, item))

    def pick(self, order):
        """Those of the order's tests in its sequence ("asked", "source" or "reversed"), without tearing apart what shares
        fixtures: the group of the test that comes first comes first."""
        wanted = list(dict.fromkeys(n for n in order["tests"] if n in self.by_name))
        found = sorted(((at, n, i) for n in wanted for at, i in self.by_name[n]), key=lambda f: f[0])
        first = wanted if order["sequence"] == "asked" else list(dict.fromkeys(n for _, n, _ in found))
        if order["sequence"] == "reversed":
            first = list(dict.fromkeys(n for _, n, _ in reversed(found)))
        rank = {n: at for at, n in enumerate(first)}
        best, paths = {}, {}
        for at, n, i in found:
            paths[at] = path = tuple(self.key(i))
            for depth in range(1, len(path) + 1):
                best[path[:depth]] = min(rank[n], best.get(path[:depth], rank[n]))

        def place(f):
            return [best[paths[f[0]][:depth]] for depth in range(1, len(paths[f[0]]) + 1)] + [rank[f[1]]]

        return [i for _, _, i in sorted(found, key=place)]


def _level(pairs, depth, rng):
    groups, leaves = {}, 0
    for path, item in pairs:
        if len(path) > depth:
            name = path[depth]
        else:
            name, leaves = ("", leaves), leaves + 1
        groups.setdefault(name, []).append((path, item))
    order = list(groups.values())
    rng.shuffle(order)
    out = []
    for group in order:
        if len(group) == 1 or len(group[0][0]) <= depth:
            out.extend(item for _, item in group)
        else:
            out.extend(_level(group, depth + 1, rng))
    return out
