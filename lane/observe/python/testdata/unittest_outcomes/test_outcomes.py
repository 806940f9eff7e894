import unittest


class Outcomes(unittest.TestCase):
    def test_fails(self):
        self.assertEqual(1, 2)

    def test_errors(self):
        raise RuntimeError("an error")

    def test_exits(self):
        raise SystemExit(0)

    @unittest.skip("not today")
    def test_skips(self):
        pass

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(1, 2)

    @unittest.expectedFailure
    def test_unexpected(self):
        pass

    def test_parts(self):
        for n in (1, 2, 3):
            with self.subTest(n=n):
                if n == 3:
                    self.skipTest("too many")
                self.assertNotEqual(n, 2)

    def test_passes(self):
        pass


class BrokenClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("no class")

    def test_inner(self):
        pass


class SkippedClass(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("no class today")

    def test_inner(self):
        pass


class LeavesClass(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        raise RuntimeError("left something")

    def test_inner(self):
        pass
