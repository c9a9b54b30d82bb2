"""Runs a command on a terminal of the given width, and presses Ctrl-C when the given text has appeared, or PRESSES times.

Prints what the terminal received, and on a last line the exit code.
"""

import fcntl
import os
import pty
import struct
import sys
import termios
import time

columns, text, command = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3:]
start, begin = os.pipe()
process, terminal = pty.fork()
if process == 0:
    os.close(begin)
    os.read(start, 1)  # the width is set
    os.execvp(command[0], command)
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
os.write(begin, b"1")
got, pressed = b"", False
while True:
    try:
        more = os.read(terminal, 65536)
    except OSError:  # the other end was closed
        break
    if not more:
        break
    got += more
    if not pressed and text in got:
        for _ in range(int(os.environ.get("PRESSES", "1"))):
            os.write(terminal, b"\x03")
            time.sleep(0.1)
        pressed = True
_, status = os.waitpid(process, 0)
sys.stdout.buffer.write(got)
print(f"\n{os.waitstatus_to_exitcode(status)}")
