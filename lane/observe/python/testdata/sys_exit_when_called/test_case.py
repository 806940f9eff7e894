import unittest

from answer import answer


class AnswerCase(unittest.TestCase):
    def test_answer(self):
        self.assertEqual(answer(), 42)
