import pytest

from order import EmptyOrder, Line, Order


def test_subtotal_adds_lines():
    assert Order([Line("tea", 450, 2), Line("cup", 1200)]).subtotal() == 2100


def test_small_order_pays_the_parcel():
    assert Order([Line("tea", 450, 2)]).total() == 1390


@pytest.mark.parametrize("price, total", [(4999, 5489), (5000, 5000), (5001, 5001)])
def test_shipping_is_free_from_fifty_euros(price, total):
    assert Order([Line("pot", price)]).total() == total


def test_empty_order_is_refused():
    with pytest.raises(EmptyOrder):
        Order().total()
