import { test } from 'node:test';
import { b } from '../lib/b.mjs';

test('module', () => { b(); });
