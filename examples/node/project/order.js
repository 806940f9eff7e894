// Prices the orders of a small shop. All amounts are in cents.

/** The subtotal from which the shop pays the parcel. */
export const FREE_SHIPPING = 5000;

const PARCEL = 490;

/** There is nothing to buy. */
export class EmptyOrder extends Error {}

/** What a customer is about to buy: lines of { article, price, quantity }. */
export class Order {
  constructor(...lines) {
    this.lines = lines;
  }

  subtotal() {
    return this.lines.reduce((sum, line) => sum + line.price * (line.quantity ?? 1), 0);
  }

  /** What the customer pays: the subtotal and, below FREE_SHIPPING, the parcel. */
  total() {
    if (this.lines.length === 0) throw new EmptyOrder();
    const amount = this.subtotal();
    return amount < FREE_SHIPPING ? amount + PARCEL : amount;
  }
}
