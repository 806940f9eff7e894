import { total } from './cart.js';

export const short = (name: string): string => (name.length > 8 ? `${name.slice(0, 7)}…` : name);

export function never(n: number): number {
  return n + total([]) + 1;
}
