"""Opens streams of searches that report ten times a second, and prints what they cost the server
in 5 s: processor time in percent of a core, resident memory in kB, and infos per second and
stream. Arguments: PORT COUNT PID."""

import json
import os
import selectors
import socket
import sys
import time

SECONDS = 5
port, count, pid = map(int, sys.argv[1:])
selector = selectors.DefaultSelector()


def processor_seconds():
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def infos_until(end):
    """Reads all streams. Returns the number of infos."""
    infos = 0
    while time.monotonic() < end:
        for key, _ in selector.select(0.1):
            data = key.fileobj.recv(1 << 16)
            assert data, "a stream has ended"
            infos += data.count(b'"type":"info"')
    return infos


for number in range(count):
    body = json.dumps({"game": {}, "ai": f"ai{number % 4}", "limit": {"movetime_ms": 600_000}})
    stream = socket.create_connection(("127.0.0.1", port))
    stream.sendall(
        "POST /v1/best-move HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    stream.setblocking(False)
    selector.register(stream, selectors.EVENT_READ)
infos_until(time.monotonic() + 3)
before = processor_seconds()
infos = infos_until(time.monotonic() + SECONDS)
busy = (processor_seconds() - before) / SECONDS * 100
with open(f"/proc/{pid}/status", encoding="ascii") as status:
    resident = next(line.split()[1] for line in status if line.startswith("VmRSS"))
print(f"{busy:.0f} {resident} {infos / SECONDS / count:.1f}")
