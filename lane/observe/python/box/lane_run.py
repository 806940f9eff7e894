"""Lane's entry into a Python test run: lane_run.py PLAN TREE CACHE. The closure's interpreter starts it with this folder as
the script's; nothing of the tree is on sys.path until everything of Lane's and of the runner's own is loaded."""

import sys

sys.dont_write_bytecode = True
import lane_cache

cache = lane_cache.Cache(sys.argv[2], sys.argv[3])
cache.install()
import lane_main

lane_main.main(sys.argv[1], cache)
