import unittest

import a_module_that_is_not_there


class Alone(unittest.TestCase):
    def test_inner(self):
        pass
