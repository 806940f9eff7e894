import os


def answer():
    calls = int(os.environ.get("CALLS", "0")) + 1
    os.environ["CALLS"] = str(calls)
    return 42 if calls > 1 else 41
