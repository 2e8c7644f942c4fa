"""Opens idle connections to a server and prints its resident memory in kB.
Arguments: PORT COUNT PID."""

import socket
import sys
import time

port, count, pid = map(int, sys.argv[1:])
request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
connections = []
for _ in range(count):
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(request)
    assert connection.recv(4096).startswith(b"HTTP/1.1 200")
    connections.append(connection)
time.sleep(1)
with open(f"/proc/{pid}/status", encoding="ascii") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmRSS")))
