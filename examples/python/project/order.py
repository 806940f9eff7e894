"""Prices the orders of a small shop. All amounts are in cents."""

from dataclasses import dataclass, field

FREE_SHIPPING = 5000  # the subtotal from which the shop pays the parcel
PARCEL = 490


class EmptyOrder(Exception):
    """There is nothing to buy."""


@dataclass
class Line:
    """One position of an order."""

    article: str
    price: int
    quantity: int = 1


@dataclass
class Order:
    """What a customer is about to buy."""

    lines: list[Line] = field(default_factory=list)

    def subtotal(self) -> int:
        return sum(line.price * line.quantity for line in self.lines)

    def total(self) -> int:
        """What the customer pays: the subtotal and, below FREE_SHIPPING, the parcel."""
        if not self.lines:
            raise EmptyOrder
        amount = self.subtotal()
        if amount < FREE_SHIPPING:
            amount += PARCEL
        return amount
