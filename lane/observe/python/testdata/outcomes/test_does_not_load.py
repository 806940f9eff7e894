import a_module_that_is_not_there


def test_alone():
    pass


class TestMore:
    def test_one(self):
        pass
