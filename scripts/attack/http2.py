"""Floods of HTTP/2 frames, written by hand: the process stays small, and others are served meanwhile.

Frames are those of RFC 9113. Each flood runs on several connections at once for a few seconds or until the
server closes them; meanwhile health and a compile are asked on connections of their own.
"""

import socket
import struct
import threading
import time

import tally as shared
from tally import MIB, call, connect, post, reset_peak, small

DATA, HEADERS, PRIORITY, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = range(10)
END_STREAM, END_HEADERS, ACK = 1, 4, 1
MAX_MEMORY_MIB = 144
MAX_SERVED_SECONDS = 3.0
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags=0, stream=0, data=b""):
    return struct.pack("!I", len(data))[1:] + bytes([kind, flags]) + struct.pack("!I", stream) + data


def literal(name, value, index=False):
    """A header that no table holds, with an entry of the dynamic table or without."""
    def text(part):
        length = len(part)
        if length < 127:
            return bytes([length]) + part
        out, rest = bytes([127]), length - 127
        while rest >= 128:
            out, rest = out + bytes([rest % 128 + 128]), rest // 128
        return out + bytes([rest]) + part
    return (b"\x40" if index else b"\x00") + text(name) + text(value)


def request(path=b"/healthz", method=b"GET", *more):
    """A header block of a request."""
    lines = [(b":method", method), (b":scheme", b"http"), (b":path", path), (b":authority", b"localhost"), *more]
    return b"".join(literal(name, value) for name, value in lines)


def opening(**settings):
    """The preface with our settings, by their number."""
    pairs = b"".join(struct.pack("!HI", int(name[1:]), value) for name, value in settings.items())
    return PREFACE + frame(SETTINGS, 0, 0, pairs)


def streams():
    return iter(range(1, 2**31, 2))


# Each yields what is sent next, without end: a flood goes on until the server has enough.
def settings_flood():
    yield opening()
    while True:
        yield frame(SETTINGS, 0, 0, struct.pack("!HI", 1, 4096)) * 500


def settings_flap():
    yield opening()
    while True:
        yield b"".join(frame(SETTINGS, 0, 0, struct.pack("!HIHI", 1, size, 4, window))
                       for size, window in ((0, 0), (2**24, 2**31 - 1)) * 200)


def ping_flood():
    yield opening()
    while True:
        yield frame(PING, 0, 0, b"abcdefgh") * 1000


def rapid_reset():
    yield opening()
    for stream in streams():
        yield frame(HEADERS, END_STREAM | END_HEADERS, stream, request(b"/openapi.json")) + frame(
            RST, 0, stream, struct.pack("!I", 8))


def made_reset():
    """The server is brought to reset each stream itself: a window of nothing more."""
    yield opening()
    for stream in streams():
        yield frame(HEADERS, END_STREAM | END_HEADERS, stream, request(b"/openapi.json")) + frame(
            WINDOW, 0, stream, struct.pack("!I", 0))


def overflow_reset():
    yield opening()
    for stream in streams():
        yield frame(HEADERS, END_HEADERS, stream, request(b"/compile", b"POST")) + frame(
            WINDOW, 0, stream, struct.pack("!I", 2**31 - 1))


def continuation_flood():
    yield opening()
    yield frame(HEADERS, 0, 1, request())
    while True:
        yield frame(CONTINUATION, 0, 1, literal(b"x", b"y" * 8000)) * 20


def empty_continuations():
    yield opening()
    yield frame(HEADERS, 0, 1, request())
    while True:
        yield frame(CONTINUATION, 0, 1) * 2000


def header_bomb():
    """An entry of the dynamic table that is named thousands of times."""
    yield opening()
    for stream in streams():
        block = literal(b"x-large", b"v" * 3900, index=True) + b"\xbe" * 12_000
        yield frame(HEADERS, END_STREAM | END_HEADERS, stream, request() + block)


def many_cookies():
    yield opening()
    for stream in streams():
        yield frame(HEADERS, END_STREAM | END_HEADERS, stream,
                    request(b"/healthz", b"GET", *[(b"cookie", b"a=b")] * 1000))


def empty_data():
    yield opening()
    yield frame(HEADERS, END_HEADERS, 1, request(b"/compile", b"POST", (b"content-type", b"application/json")))
    while True:
        yield frame(DATA, 0, 1) * 2000


def padded_data():
    yield opening()
    yield frame(HEADERS, END_HEADERS, 1, request(b"/compile", b"POST", (b"content-type", b"application/json")))
    while True:
        yield frame(DATA, 8, 1, b"\xff" + bytes(255)) * 100


def priority_flood():
    yield opening()
    for stream in streams():
        yield frame(PRIORITY, 0, stream, struct.pack("!IB", 0, 1)) * 500


def window_flood():
    yield opening()
    while True:
        yield frame(WINDOW, 0, 0, struct.pack("!I", 1)) * 1000


def unknown_frames():
    yield opening()
    while True:
        yield frame(0xEE, 0xFF, 7, bytes(16_000)) * 10


def zero_window():
    """Every stream asks for a large response, and takes nothing of it."""
    yield opening(_4=0)
    for stream in streams():
        yield frame(HEADERS, END_STREAM | END_HEADERS, stream, request(b"/openapi.json"))


def push_flood():
    yield opening()
    while True:
        yield frame(PUSH, END_HEADERS, 1, struct.pack("!I", 2) + request()) * 100


def closed_streams():
    yield opening()
    yield frame(HEADERS, END_STREAM | END_HEADERS, 1, request())
    while True:
        yield frame(DATA, END_STREAM, 1, b"x") * 1000


def huge_frame():
    yield opening()
    while True:
        yield b"\xff\xff\xff" + bytes([DATA, 0]) + struct.pack("!I", 1) + bytes(60_000)


FLOODS = [settings_flood, settings_flap, ping_flood, rapid_reset, made_reset, overflow_reset, continuation_flood,
          empty_continuations, header_bomb, many_cookies, empty_data, padded_data, priority_flood, window_flood,
          unknown_frames, zero_window, push_flood, closed_streams, huge_frame]


def drive(node, flood, end, counts):
    """One connection: sends until the server closes it or the time is up, and never reads."""
    sent = 0
    try:
        with connect(node, timeout=1) as one:
            for part in flood():
                if time.monotonic() > end:
                    break
                try:
                    one.sendall(part)
                    sent += len(part)
                except socket.timeout:
                    # The server reads no further: it waits until its own answers are taken.
                    time.sleep(max(0, end - time.monotonic()))
                    break
    except OSError:
        pass
    counts.append(sent)


def run(tally):
    seconds, connections = (0.8, 4) if tally.quick else (6, 8)
    for flood in tally.sample(FLOODS, 10):
        with tally.server(key=False) as node:
            post(node, "/compile", small(), key=None)
            before, end, counts = reset_peak(node), time.monotonic() + seconds, []
            threads = [threading.Thread(target=drive, args=(node, flood, end, counts)) for _ in range(connections)]
            for thread in threads:
                thread.start()
            slowest, wrong = 0.0, []
            while time.monotonic() < end and any(thread.is_alive() for thread in threads):
                start = time.monotonic()
                try:
                    told = [call(node.port, "GET", "/healthz", key=None, timeout=10)[0],
                            post(node, "/compile", small(str(start)), key=None, timeout=10)[0]]
                    if told != [200, 200]:
                        wrong.append(told)
                except OSError as error:
                    wrong.append(type(error).__name__)
                slowest = max(slowest, time.monotonic() - start)
                time.sleep(0.1)
            for thread in threads:
                thread.join()
            name = flood.__name__.replace("_", " ")
            if node.process.poll() is not None:
                tally.case(name, False, f"the process ended with {node.process.returncode}")
                continue
            peak = node.figure("VmHWM") / 1024
            tally.case(name, not wrong and peak <= MAX_MEMORY_MIB and slowest <= MAX_SERVED_SECONDS and sum(counts),
                       f"{peak:.0f} MiB (before {before / 1024:.0f}), others waited {slowest:.2f} s, {wrong[:3]}, "
                       f"{sum(counts) / MIB:.1f} MiB sent", seconds=slowest, mib=peak)
            tally.alive(node, name)


if __name__ == "__main__":
    shared.main(run)
