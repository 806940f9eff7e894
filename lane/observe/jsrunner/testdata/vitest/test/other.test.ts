import { expect, test } from 'vitest';

test('one is one', () => expect(1).toBe(1));
