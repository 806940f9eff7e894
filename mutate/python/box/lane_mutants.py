"""Finds the mutants of Python files, or judges edits of them, with the closure's own ast. It reads sources and executes none.

usage: lane_mutants.py REQUEST OUT. See package mutate/python of Lane for both."""

import base64
import json
import os
import sys
import threading
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import lane_compile
import lane_operators
import lane_text


# A sum of thousands of terms is as deep as it is long: it takes a deep stack to walk, and the compiler another.
STACK = 256 << 20  # bytes
RECURSION = 20_000


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(RECURSION)
    with open(sys.argv[1], encoding="utf-8") as f:
        request = json.load(f)
    if "edits" in request:
        result = [judge(e) for e in request["edits"]]
    else:
        result = [find(f, request["operators"]) for f in request["files"]]
    with open(sys.argv[2], "w", encoding="ascii") as f:
        json.dump(result, f)


def read(name):
    with open(name, "rb") as f:
        return f.read()


def find(name, operators):
    """The mutants of one file, each proven: compiled, and compared with the original's code."""
    try:
        source = lane_text.Source(read(name))
        faults = lane_operators.faults(source, operators)
    except (SyntaxError, ValueError, RecursionError, LookupError, MemoryError) as e:
        return {"error": short(e)}
    compiler = lane_compile.Compiler(source)
    out = []
    for fault in faults:
        known, why = compiler.judge(fault)
        out.append(
            {
                "op": fault.op, "func": fault.func, "line": fault.line, "end": fault.end_line, "reach": fault.reach,
                "off": source.byte(fault.start), "len": source.byte(fault.stop) - source.byte(fault.start),
                "col": source.column(fault.start),
                "text": base64.b64encode(fault.text.encode(source.encoding)).decode("ascii"),
                "say": fault.say, "arid": fault.arid, "context": fault.context, "known": known, "why": why,
            }
        )
    return {"lines": len(source.lines), "mutants": out}


def judge(edit):
    """What the closure's compiler says of a file in another form, and the functions of the file as it is."""
    out = {"functions": [], "generated": False}
    try:
        head = lane_text.Source(read(edit["head"]))
        out["functions"] = lane_operators.functions(head)
        out["generated"] = head.generated
    except (SyntaxError, ValueError, RecursionError, LookupError, MemoryError):
        head = None
    out["known"], out["why"] = lane_compile.compare(read(edit["head"]) if head else None, read(edit["other"]))
    return out


def short(error):
    return ("%s: %s" % (type(error).__name__, error))[:300]


threading.stack_size(STACK)
thread = threading.Thread(target=main)
thread.start()
thread.join()
