"""Decides what is kept of the addopts of the tree's own configuration: what decides how and from which files tests are
loaded, which a conftest.py could decide as well. What leaves tests out by name or mark, ends the run early or changes what a
result means belongs into the command of the spec."""

KEPT_FLAGS = set(
    """--strict --strict-markers --strict-config --doctest-modules --doctest-continue-on-failure --showlocals -l
    --full-trace""".split()
)
KEPT_VALUES = set(
    """--import-mode --ignore --ignore-glob --doctest-glob --doctest-encoding --tb --asyncio-mode --anyio-mode --timeout -W
    --pythonwarnings -p""".split()
)
# Options that concern only what is printed or written besides, whose loss is not worth a word.
SILENT = tuple(
    "-v -q -r -s --color --cov --no-cov --durations --junit --verbose --quiet --no-header --capture".split()
)
# Plugins of pytest's own without which a result means something else.
NEEDED = {
    "no:" + p
    for p in """assertion capture fixtures main mark monkeypatch python runner skipping terminal threadexception tmpdir
    unittest unraisableexception""".split()
}


def part(options):
    """Parts options into those that are kept and descriptions of those that are left out."""
    kept, left, i = [], [], 0
    while i < len(options):
        word, i = options[i], i + 1
        name, sep, value = word.partition("=")
        if not word.startswith("--") and len(word) > 2 and word[:2] in KEPT_VALUES:
            name, sep, value = word[:2], "=", word[2:]
        if name in KEPT_FLAGS and not sep:
            kept.append(word)
        elif name in KEPT_VALUES:
            if not sep:
                value, i = (options[i] if i < len(options) else ""), i + 1
            if name == "-p" and value in NEEDED:
                left.append("-p " + value)
            elif name.startswith("--"):
                kept.append(name + "=" + value)
            else:
                kept += [name, value]
        else:
            while i < len(options) and not options[i].startswith("-"):  # its value, or a path
                word, i = word + " " + options[i], i + 1
            if not word.startswith(SILENT):
                left.append(word)
    return kept, left
