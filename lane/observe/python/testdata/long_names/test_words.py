import unittest

import pytest


@pytest.mark.parametrize("word", ["a" * 2000, "a" * 2001])
def test_word(word):
    assert set(word) == {"a"}


class WordCase(unittest.TestCase):
    def test_words(self):
        for n in (2000, 2001):
            with self.subTest(word="a" * n):
                self.assertEqual(n, len("a" * n))
