import unittest

import pytest


@pytest.fixture
def broken():
    raise RuntimeError("no fixture")


@pytest.fixture
def leaves():
    yield 1
    raise RuntimeError("left something")


def test_fails():
    assert 1 + 1 == 3


def test_errors(broken):
    pass


def test_breaks_down(leaves):
    pass


def test_skips():
    pytest.skip("not today")


@pytest.mark.skipif(True, reason="never")
def test_skipped():
    pass


@pytest.mark.xfail(reason="known")
def test_expected():
    assert False


@pytest.mark.xfail(reason="known")
def test_unexpected():
    pass


@pytest.mark.xfail(strict=True, reason="known")
def test_strict():
    pass


@pytest.mark.xfail(raises=ValueError)
def test_another_error():
    raise KeyError("x")


def test_calls_xfail():
    pytest.xfail("by hand")


def test_exits():
    raise SystemExit(0)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_some(n):
    assert n != 2


@pytest.mark.parametrize("n", [1, 2])
def test_none(n):
    pytest.skip("none of them")


class Case(unittest.TestCase):
    def test_fails(self):
        self.assertEqual(1, 2)

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(1, 2)

    @unittest.skip("not here")
    def test_skips(self):
        pass

    def test_passes(self):
        pass
