import threading
import time


def answer():
    threading.Thread(target=time.sleep, args=(3600,)).start()
    return 42
