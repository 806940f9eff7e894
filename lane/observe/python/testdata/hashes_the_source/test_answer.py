from answer import answer


def test_answer():
    assert answer() == 42


def test_source():
    import hashlib

    with open("answer.py", "rb") as f:
        assert hashlib.sha256(f.read()).hexdigest().startswith("aecc013c")
