import unittest

from total import total


class TotalCase(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)

    def test_parts(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertEqual(total([n]), n)
