"""Connections that take every place of `--max-connections` and do nothing: health must still be answered.

Silent connections, those that ask once and stay, HTTP/2 connections that answer pings and nothing else, and
more of them than there are places.
"""

import http.client
import socket
import struct
import threading
import time

import tally as shared
from http2 import ACK, PING, SETTINGS, frame, opening
from tally import call, connect

PLACES = 64
MAX_WAIT_SECONDS = 12.0


def silent(_):
    pass


def half_preface(one):
    one.sendall(b"PRI * HTTP/2.0\r\n")


def asked_once(one):
    one.sendall(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")


def http2_silent(one):
    one.sendall(opening())


def http2_polite(one):
    """Acknowledges settings, and answers each ping."""
    one.sendall(opening() + frame(SETTINGS, ACK))

    def answer():
        buffer = b""
        try:
            while part := one.recv(4096):
                buffer += part
                while len(buffer) >= 9:
                    length = int.from_bytes(buffer[:3], "big")
                    if len(buffer) < 9 + length:
                        break
                    if buffer[3] == PING and not buffer[4] & ACK:
                        one.sendall(frame(PING, ACK, 0, buffer[9:9 + length]))
                    buffer = buffer[9 + length:]
        except OSError:
            pass

    one.settimeout(None)
    threading.Thread(target=answer, daemon=True).start()


def http2_window(one):
    """Says every second that it would take more."""
    one.sendall(opening() + frame(SETTINGS, ACK))

    def talk():
        try:
            while True:
                time.sleep(1)
                one.sendall(frame(8, 0, 0, struct.pack("!I", 1)))
        except OSError:
            pass

    threading.Thread(target=talk, daemon=True).start()


def run(tally):
    for how in tally.sample((silent, half_preface, asked_once, http2_silent, http2_polite, http2_window), 4):
        with tally.server("--max-connections", str(PLACES), "--header-timeout-ms", "1000", key=False) as node:
            what = f"{2 * PLACES} connections, {how.__name__.replace('_', ' ')}"
            links = []
            for _ in range(2 * PLACES):
                try:
                    one = connect(node, 2)
                    links.append(one)
                    how(one)
                except (OSError, socket.timeout):
                    pass
            start, status = time.monotonic(), None
            while time.monotonic() - start < MAX_WAIT_SECONDS:
                try:
                    status = call(node.port, "GET", "/healthz", key=None, timeout=2)[0]
                    if status == 200:
                        break
                except (OSError, http.client.HTTPException) as error:
                    status = type(error).__name__
            took = time.monotonic() - start
            tally.case(f"{what}: health", status == 200 and took < MAX_WAIT_SECONDS, f"{status} after {took:.1f} s",
                       seconds=took)
            for one in links:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                one.close()
            back = shared.until(lambda: call(node.port, "GET", "/healthz", key=None, timeout=5)[0] == 200, 15)
            tally.case(f"{what}: health after they are gone", back is not None, back)


if __name__ == "__main__":
    shared.main(run)
