export interface Item {
  price: number;
  count: number;
}

export function total(items: Item[]): number {
  return items.reduce((sum, x) => sum + x.price * x.count, 0);
}

export function free(sum: number): boolean {
  return sum >= 50;
}
