import { expect, test } from 'vitest';
import { short } from '../src/names.js';

test('a short name stays', () => expect(short('12345678')).toBe('12345678'));
test('a long one is cut', () => expect(short('123456789')).toBe('1234567…'));
test.skip('not yet', () => {});
