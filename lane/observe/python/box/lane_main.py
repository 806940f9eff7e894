"""Prepares the interpreter as the plan says, and starts the runner."""

import json
import os
import sys

import lane_records


def main(name, cache):
    with open(name, encoding="utf-8") as f:
        plan = json.load(f)
    here = os.path.dirname(os.path.abspath(__file__))
    channel = lane_records.Channel(plan["unit"])
    try:
        kind = __import__("lane_" + plan["kind"])
    except ImportError as e:
        raise SystemExit("lane: load %s from the closure: %s" % (plan["kind"], e))
    if plan["warm"]:
        import lane_warm

        return lane_warm.fill(plan, cache)
    server = None
    if plan["fork"]:
        import lane_fork

        server = lane_fork.Server(plan, channel)
    runner = kind.Runner(plan, cache, server)
    sys.path[:] = [p for p in sys.path if os.path.abspath(p) != here]
    sys.path[:0] = plan["path"]  # as the runner itself, or PYTHONPATH, would have put the tree there
    sys.argv[:] = plan["argv"]
    for name, value in plan["env"].items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    if server:
        server.begin()
    code = runner.run(channel)
    if server:
        server.leave(code)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    sys.exit(code)
