import { describe, expect, it } from 'vitest';
import { free, total } from '../src/cart.js';

describe('cart', () => {
  it('adds up (all > of it)', () => expect(total([{ price: 2, count: 3 }])).toBe(6));
  it('is free from 50 on', () => expect([free(49), free(50), free(51)]).toEqual([false, true, true]));
});
