import pytest

from total import total


def test_total():
    assert total([1, 2, 3]) == 6


@pytest.mark.parametrize("prices, want", [([], 0), ([-1], 0), ([5], 5)], ids=["none", "below", "one"])
def test_total_of(prices, want):
    assert total(prices) == want


class TestTotal:
    def test_order(self):
        assert total([1, 2]) == total([2, 1])
