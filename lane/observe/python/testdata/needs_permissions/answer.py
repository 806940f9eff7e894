import os


def answer():
    with open("closed.txt", "w") as f:
        f.write("x")
    os.chmod("closed.txt", 0)
    try:
        open("closed.txt")
    except PermissionError:
        return 42
    return 41
