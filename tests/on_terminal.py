#!/usr/bin/env python3
"""Runs a command with a terminal as its output and errors, and prints what that got."""
import os
import pty
import subprocess
import sys

master, slave = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
os.close(slave)
while True:
    try:
        data = os.read(master, 65536)
    except OSError:
        # What Linux says when nobody has the terminal any more.
        break
    if not data:
        break
    os.write(1, data)
sys.exit(child.wait() % 256)
