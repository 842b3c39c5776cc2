"""Bodies that become much larger, deeper or longer when they are decoded.

gzip, zstd (frames written by hand: blocks of one repeated byte), JSON, the notations of `/expand` and lines
of JSON. Each must be answered within eight times its bytes and 64 MiB, and within 24 times its bytes and
128 MiB of memory; bombs must be refused.
"""

import json
import struct
import zlib

import tally as shared
from tally import MIB, body, post, small

OK = body(small())
REFUSED = {400, 413, 415, 422}
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
BLOCK = 128 << 10


def gzip(parts, level=9):
    packer = zlib.compressobj(level, zlib.DEFLATED, 31)
    return b"".join(packer.compress(part) for part in parts) + packer.flush()


def gzip_of(mib, byte=b" "):
    return gzip([byte * MIB] * mib)


def zstd_blocks(count, byte, last=True, size=BLOCK):
    """Blocks of one byte that is repeated: four bytes become 128 KiB."""
    blocks = []
    for at in range(count):
        head = size << 3 | 1 << 1 | (last and at == count - 1)
        blocks.append(struct.pack("<I", head)[:3] + byte)
    return b"".join(blocks)


def zstd_frame(count, byte=b" ", window=0x38, more=b"", **how):
    """A frame without a size. `window` 0x38 is a window of 128 KiB."""
    return ZSTD_MAGIC + b"\x00" + bytes([window]) + more + zstd_blocks(count, byte, **how)


def zstd_raw(data, window=0x38):
    return ZSTD_MAGIC + b"\x00" + bytes([window]) + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def gzips():
    for mib in (33, 64, 256, 1024):
        yield f"gzip of {mib} MiB of blanks", gzip_of(mib), REFUSED
    yield "gzip of 256 MiB of NUL", gzip_of(256, b"\0"), REFUSED
    yield "gzip of 40 MiB of a string", gzip([b'{"messages":[{"role":"user","content":"', *[b"a" * MIB] * 40]), REFUSED
    yield "gzip of 30 MiB of a string", gzip([b'{"target":"openai","messages":[{"role":"user","content":"',
                                              *[b"a" * MIB] * 30, b'"}]}']), None
    yield "gzip of 30 MiB of numbers", gzip([b'{"a":[0', *[b",0" * (MIB // 2)] * 30, b"]}"]), REFUSED
    yield "gzip of 30 MiB of brackets", gzip([b"[" * MIB] * 30), REFUSED
    yield "ten thousand members of gzip", gzip([b"  "]) * 10_000, None
    yield "two members of 20 MiB", gzip_of(20) + gzip_of(20), REFUSED
    yield "gzip in gzip", gzip([gzip_of(64)]), REFUSED
    yield "gzip with a comment of 8 MiB", b"\x1f\x8b\x08\x10" + bytes(6) + b"c" * (8 * MIB), REFUSED
    yield "gzip with a name of 8 MiB", b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * (8 * MIB), REFUSED
    yield "gzip of stored blocks of nothing", b"\x1f\x8b\x08" + bytes(7) + b"\0\0\0\xff\xff" * 200_000, REFUSED
    yield "gzip with a false sum", gzip([OK])[:-8] + bytes(8), REFUSED
    yield "gzip with a false length", gzip([OK])[:-4] + b"\xff" * 4, REFUSED
    yield "gzip cut in half", gzip([OK])[:40], REFUSED
    yield "gzip with noise after it", gzip([OK]) + b"\xff" * MIB, None


def zstds():
    for count, name in ((300, "37 MiB"), (2_048, "256 MiB"), (80_000, "10 GiB"), (2_000_000, "250 GiB")):
        yield f"zstd of {name}", zstd_frame(count), REFUSED
    yield "zstd of 10 GiB of NUL", zstd_frame(80_000, b"\0"), REFUSED
    yield "zstd of 10 GiB of brackets", zstd_frame(80_000, b"["), REFUSED
    yield "a million empty zstd blocks", zstd_frame(1_000_000, size=0), REFUSED
    yield "300,000 empty zstd frames", zstd_frame(1, size=0) * 300_000, REFUSED
    yield "a hundred zstd frames of 16 MiB", zstd_frame(128) * 100, REFUSED
    yield "a million frames to skip", struct.pack("<II", 0x184D2A50, 0) * 1_000_000, REFUSED
    yield "a frame to skip of 4 GiB", struct.pack("<II", 0x184D2A50, 2**32 - 1) + bytes(MIB), REFUSED
    for bits in (0x58, 0x68, 0x80, 0xA0, 0xB0, 0xFF):
        yield f"zstd with the window {bits:#x}", zstd_raw(OK, bits), REFUSED | {200}
    wide = ZSTD_MAGIC + b"\xe0" + struct.pack("<Q", 2**63) + zstd_blocks(100, b" ")
    yield "zstd that says 2^63 bytes", wide, REFUSED
    yield "zstd with a dictionary", ZSTD_MAGIC + b"\x03\x38" + struct.pack("<I", 7) + zstd_blocks(1, b" "), REFUSED
    yield "zstd without an end", zstd_frame(10, last=False), REFUSED
    yield "zstd of a block type that is none", ZSTD_MAGIC + b"\x00\x38" + b"\x07\x00\x00", REFUSED
    yield "zstd with noise after it", zstd_raw(OK) + b"\xff" * MIB, REFUSED


def texts():
    """JSON that costs more than its bytes: depth, members, names, numbers, escapes."""
    yield "a million brackets", b"[" * 1_000_000, REFUSED
    yield "a million objects", b'{"a":' * 1_000_000, REFUSED
    yield "brackets that close", b'{"messages":' + b"[" * 500_000 + b"]" * 500_000 + b"}", REFUSED
    yield "two million numbers", b'{"messages":[' + b"0," * 2_000_000 + b"0]}", REFUSED
    yield "five million empty objects", b'{"messages":[' + b"{}," * 5_000_000 + b"{}]}", REFUSED
    yield "a million names", b"{" + b",".join(b'"k%d":0' % at for at in range(1_000_000)) + b"}", REFUSED
    yield "a name a hundred thousand times", b"{" + b",".join([b'"k":0'] * 100_000) + b"}", REFUSED
    yield "a name of 8 MiB", b'{"' + b"k" * (8 * MIB) + b'":0}', REFUSED
    yield "a number of 8 MiB", b'{"deadline_ms":' + b"9" * (8 * MIB) + b"}", REFUSED
    yield "an exponent of a billion", b'{"deadline_ms":1e1000000000}', REFUSED
    yield "escapes of 12 MiB", b'{"messages":[{"role":"user","content":"' + b"\\u0000" * (2 * MIB) + b'"}]}', None
    yield "escapes of surrogates", b'{"target":"' + b"\\ud83d\\ude00" * 600_000 + b'"}', REFUSED
    yield "halves of surrogates", b'{"target":"' + b"\\ud83d" * 1_000_000 + b'"}', REFUSED
    yield "a million messages", body({"messages": [small()["messages"][0]] * 300_000, "target": "openai"}), None
    yield "300,000 unknown roles", body({"messages": [{"role": "r", "content": "x"}] * 300_000}), REFUSED
    parts = [{"type": "text", "text": ""}] * 400_000
    yield "400,000 parts", body({"messages": [{"role": "user", "content": parts}], "target": "openai"}), None
    nested = json.dumps({"a": "[" * 4_000_000})
    yield "brackets in a string of arguments", body({"messages": [
        {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {
            "name": "f", "arguments": nested}}]}, {"role": "tool", "tool_call_id": "c", "content": "x"}],
        "target": "openai"}), None


def notations():
    """Blocks that decode to much: all are for `/expand`."""
    one = "\u0001" * 9
    for times in (10**6, 10**9, 10**19):
        yield f"repeat of {times}", f"§repeat 1 ×{times}\n{one}"
    yield "repeat of nothing", "§repeat 1 ×1000000000\n"
    yield "repeat of repeats", "\n".join(["§repeat 1 ×100000", "x"] * 2000)
    yield "numbered by huge numbers", "§numbered 100000 from 99999999999999999999 width 900000\n" + "x\n" * 100_000
    yield "numbered with a wide filling", "§numbered 50000 from 1 width 4000000000\n" + "x\n" * 50_000
    yield "a tree of the same head", "§tree 20001 \">\"\n" + "h" * 100_000 + "\n" + ">x\n" * 20_000
    yield "a deep tree", "§tree 20000 \">\"\n" + "\n".join(">" * at + "x" for at in range(3000))
    yield "a template with wide cells", "§template 20001 with 1, empty as before\nA,={>4000000000}\n" + "A1\n" * 20_000
    yield "a template of long rows", ("§template 20001 with 1, empty as before\nA,=" + "z" * 100_000 + "{}\n"
                                      + "A1\n" * 20_000)
    yield "constants of an outline", "§json 20001\na[20000]{x,y=" + "z" * 100_000 + "}\n" + "1\n" * 20_000
    yield "constants of XML", ("§xml 20002 indent 2 dots\nr:\n item[20000]{@a{b,c=" + "z" * 100_000 + "}}\n"
                               + "1\n" * 20_000)
    yield "constants of YAML", "§yaml 20001 indent 2\na[20000]{x,y=" + "z" * 100_000 + "}\n" + "1\n" * 20_000
    yield "headers without end", "§json 99999999\n" * 200_000
    yield "references to themselves", "§= result 1\n" * 200_000


def run(tally):
    packed = [("gzip", *case) for case in gzips()] + [("zstd", *case) for case in zstds()]
    plain = [("", *case) for case in texts()]
    with tally.server("--max-body-bytes", str(16 * MIB), key=False) as node:
        post(node, "/compile", small(), key=None)
        for encoding, what, sent, wanted in tally.sample([*packed, *plain], 18):
            headers = {"content-encoding": encoding} if encoding else {}
            tally.bounded(node, what, len(sent), wanted, lambda: post(node, "/compile", sent, headers, key=None), 30)
        for what, text in tally.sample(notations(), 6):
            sent = body({"text": text})
            tally.bounded(node, what, len(sent), None, lambda: post(node, "/expand", sent, key=None), 30)


if __name__ == "__main__":
    shared.main(run)
