import pytest

pytest.importorskip("a_module_that_is_not_there")


def test_inner():
    pass
