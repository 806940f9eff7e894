import assert from 'node:assert/strict';
import { test } from 'node:test';

import { EmptyOrder, Order } from './order.js';

test('the subtotal adds lines', () => {
  const order = new Order({ article: 'tea', price: 450, quantity: 2 }, { article: 'cup', price: 1200 });
  assert.equal(order.subtotal(), 2100);
});

test('a small order pays the parcel', () => {
  assert.equal(new Order({ article: 'tea', price: 450, quantity: 2 }).total(), 1390);
});

test('shipping is free from fifty euros', () => {
  for (const [price, total] of [[4999, 5489], [5000, 5000], [5001, 5001]]) {
    assert.equal(new Order({ article: 'pot', price }).total(), total);
  }
});

test('an empty order is refused', () => {
  assert.throws(() => new Order().total(), EmptyOrder);
});
