"""Shuffles tests by a seed without tearing apart what shares fixtures: first the modules, then the classes within each,
then the functions, then the runs of each function."""

import random


def shuffle(items, key, seed):
    """Returns the items in another order. key gives the path of groups that holds an item, outermost first."""
    return _level([(tuple(key(i)), i) for i in items], 0, random.Random(seed))


def pick(items, key, name, order):
    """The items of an order's tests in its sequence ("asked", "source" or "reversed"), without tearing apart what shares
    fixtures: the group of the test that comes first comes first."""
    wanted = set(order["tests"])
    items = [i for i in items if name(i) in wanted]
    first = order["tests"] if order["sequence"] == "asked" else [name(i) for i in items]
    if order["sequence"] == "reversed":
        first = first[::-1]
    rank = {n: at for at, n in enumerate(dict.fromkeys(first))}
    best = {}
    for i in items:
        path = tuple(key(i))
        for depth in range(1, len(path) + 1):
            best[path[:depth]] = min(rank[name(i)], best.get(path[:depth], rank[name(i)]))

    def place(i):
        path = tuple(key(i))
        return [best[path[:depth]] for depth in range(1, len(path) + 1)] + [rank[name(i)]]

    return sorted(items, key=place)


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
