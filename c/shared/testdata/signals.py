"""Holds that Python's signals work beside the library: signals.py LIBRARY."""

import ctypes
import faulthandler
import os
import signal
import sys
import tempfile
import threading
import time

log = tempfile.TemporaryFile()
faulthandler.enable(log)
library = ctypes.CDLL(sys.argv[1])
library.calliope_error_message.restype = ctypes.c_char_p
faulthandler.enable(log)

# KeyboardInterrupt in Python code, and as soon as a barrier returns. ctypes releases the interpreter's lock there.
for wait in (lambda: time.sleep(60), lambda: [library.calliope_barrier(None, ctypes.c_int64(1000000)) for _ in range(10**6)]):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        wait()
    except KeyboardInterrupt:
        print("KeyboardInterrupt")
    timer.join()

# A handler in Python, installed after the library was loaded.
seen = []
signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
os.kill(os.getpid(), signal.SIGUSR1)
while not seen:
    pass
print("SIGUSR1")

# A child by fork refuses, one by exec does not.
child = os.fork()
if child == 0:
    os._exit(library.calliope_barrier(None, ctypes.c_int64(0)))
print("a forked child:", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print("the parent:", library.calliope_barrier(None, ctypes.c_int64(0)))

# faulthandler writes Python's stack at a fault, and the process ends by the signal.
child = os.fork()
if child == 0:
    ctypes.string_at(8)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
log.seek(0)
text = log.read().decode()
print("a fault:", status, "Segmentation fault" in text, "signals.py" in text)
