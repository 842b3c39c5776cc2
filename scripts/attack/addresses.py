"""Spellings of addresses that may not be called, in the URL of a hook: none of them may be dialled.

Each block of the registries of special addresses is spelled in every way that some reader of URLs knows, as a
URL of a hook, as the `location` of a redirect, and as a name that leads there. What counts is not what the
server answers but which connections it opens, which a packet socket sees.
"""

import http.server
import ipaddress
import itertools
import threading

import tally as shared
import wire
from tally import code, post

# One address of each block at least, with the names of clouds' own services among them.
BLOCKS = ["127.0.0.1", "127.255.255.254", "10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.0.1",
          "169.254.169.254", "169.254.170.2", "100.64.0.1", "100.100.100.200", "0.0.0.0", "0.1.2.3",
          "192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1", "224.0.0.1",
          "239.255.255.250", "240.0.0.1", "255.255.255.255"]
BLOCKS_V6 = ["::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "ff0e::1",
             "100::1", "2001::1", "2001:db8::1", "2001:20::1", "3fff::1", "4000::1", "5f00::1", "64:ff9b:1::1"]
PUBLIC = "93.184.216.34"
RECEIVER = ("198.51.100.10", 8131)
FULL_WIDTH = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}
MATHEMATICAL = {ord("0") + digit: 0x1D7D8 + digit for digit in range(10)}
CIRCLED = {ord("0"): 0x24EA, **{ord("0") + digit: 0x245F + digit for digit in range(1, 10)}}


def v4_hosts(address):
    """Ways to write an IPv4 address as a host."""
    parts = [int(part) for part in address.split(".")]
    a, b, c, d = parts
    number = (a << 24) + (b << 16) + (c << 8) + d
    octal = [f"0{part:o}" for part in parts]
    yield "plain", address
    yield "decimal", str(number)
    yield "hex", f"0x{number:x}"
    yield "capital hex", f"0X{number:08X}"
    yield "octal", f"0{number:o}"
    yield "hex parts", ".".join(f"0x{part:x}" for part in parts)
    yield "octal parts", ".".join(octal)
    yield "octal parts with more zeros", ".".join(f"00000{part:o}" for part in parts)
    yield "mixed parts", f"0x{a:x}.{octal[1]}.{c}.{d}"
    yield "three parts", f"{a}.{b}.{(c << 8) + d}"
    yield "two parts", f"{a}.{(b << 16) + (c << 8) + d}"
    yield "two mixed parts", f"0x{a:x}.0{(b << 16) + (c << 8) + d:o}"
    yield "final dot", address + "."
    yield "decimal with a final dot", f"{number}."
    yield "percent-encoded", "".join(f"%{ord(sign):02x}" for sign in address)
    yield "percent-encoded dots", address.replace(".", "%2e")
    yield "percent-encoded twice", address.replace(".", "%252e")
    yield "full-width digits", address.translate(FULL_WIDTH)
    yield "mathematical digits", address.translate(MATHEMATICAL)
    yield "circled digits", address.translate(CIRCLED)
    for name, dot in (("ideographic", "\u3002"), ("full-width", "\uff0e"), ("half-width", "\uff61")):
        yield f"{name} dots", address.replace(".", dot)
    yield "soft hyphen", address[:2] + "\u00ad" + address[2:]
    yield "tab inside", address[:2] + "\t" + address[2:]
    yield "more than 32 bits", str(number + 2**32)
    # What a parser makes of these that stops at the first sign it does not know.
    yield "a NUL after it", f"{address}%00.example.com"
    yield "a blank after it", f"{address}%20.example.com"
    high, low = (a << 8) + b, (c << 8) + d
    pair = f"{high:x}:{low:x}"
    yield "mapped", f"[::ffff:{address}]"
    yield "mapped hex", f"[::FFFF:{pair}]"
    yield "mapped in full", f"[0:0:0:0:0:ffff:{high:04x}:{low:04x}]"
    yield "compatible", f"[::{address}]"
    yield "translated", f"[::ffff:0:{address}]"
    yield "NAT64", f"[64:ff9b::{address}]"
    yield "local NAT64", f"[64:ff9b:1::{pair}]"
    yield "6to4", f"[2002:{pair}::1]"
    yield "Teredo", f"[2001:0:0:0:0:0:{high ^ 0xffff:x}:{low ^ 0xffff:x}]"
    yield "ISATAP", f"[fe80::5efe:{address}]"
    yield "mapped with a zone", f"[::ffff:{address}%25lo]"


def v6_hosts(address):
    yield "plain", f"[{address}]"
    yield "in full and capitals", f"[{ipaddress.ip_address(address).exploded.upper()}]"
    yield "with a zone", f"[{address}%25eth0]"
    yield "with a raw zone", f"[{address}%lo]"
    yield "with a final dot", f"[{address}]."
    yield "without brackets", address


def urls(address):
    """Ways to write a URL whose host is an address, for a reader that is not careful."""
    yield "http", f"http://{address}/"
    yield "http at a port", f"http://{address}:8080/"
    yield "https at a port", f"https://{address}:8443/"
    yield "no slashes", f"https:{address}/"
    yield "one slash", f"https:/{address}/"
    yield "three slashes", f"https:///{address}/"
    yield "back slashes", f"https:\\\\{address}\\"
    yield "blanks around", f" https://{address}/ "
    yield "a line feed in the scheme", f"ht\ntps://{address}/"
    yield "capital scheme", f"HTTPS://{address}/"
    yield "after a user", f"https://example.com@{address}/"
    yield "after a user and a password", f"https://example.com:x@{address}/"
    yield "before a fragment", f"https://{address}#@example.com/"
    yield "before a query", f"https://{address}?@example.com/"
    yield "before a back slash", f"https://{address}\\@example.com/"
    yield "after an encoded at", f"https://example.com%40{address}/"
    yield "two users", f"https://a@example.com@{address}/"
    yield "another scheme", f"ftp://{address}/"


LOCAL_NAMES = ["localhost", "localhost.", "LOCALHOST", "a.localhost", "a.b.localhost.", "\uff4cocalhost",
               "loc%61lhost", "\u24dbocalhost", "localhos\u00adt", "localhost%00.example.com"]


def cases():
    """Name and URL of each case."""
    for address in BLOCKS:
        for how, host in v4_hosts(address):
            yield f"{address} {how}", f"https://{host}/"
    for address in BLOCKS_V6:
        for how, host in v6_hosts(address):
            yield f"{address} {how}", f"https://{host}/"
    for address in ("127.0.0.1", "169.254.169.254", "10.0.0.1"):
        for how, url in urls(address):
            yield f"{address} {how}", url
    for name in LOCAL_NAMES:
        yield f"name {name!r}", f"https://{name}/"


class Redirector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answer = (302, "")

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        status, to = self.answer
        self.send_response(status)
        self.send_header("location", to)
        self.send_header("refresh", f"0; url={to}")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def trial(node, url, id_="x"):
    hook = {"id": id_, "point": "tool_call", "kind": "guard", "url": url, "timeout_ms": 1500}
    return post(node, "/hooks/test", {"hook": hook})


def judge(tally, watch, what, status, read):
    """Nothing but public addresses may have been dialled, and no answer may have come."""
    wrong = [one for one in watch.taken() if not wire.is_public(one[0])]
    failed = status != 200 or b'"decision":"allow"' not in read
    return tally.case(what, not wrong and failed and status < 500, f"{status}, dialled {wrong}, {read[:200]}",
                      private_dialled=len(wrong))


def redirects(tally, node, watch):
    """An allowed receiver sends the call elsewhere."""
    server = http.server.ThreadingHTTPServer(RECEIVER, Redirector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    targets = ["http://127.0.0.1/", "https://169.254.169.254/", "//10.0.0.1/", "http://[::1]/",
               "http://2130706433/", f"http://127.0.0.1:{node.port}/keys", "https://localhost/"]
    for status, to in tally.sample(itertools.product((301, 302, 303, 307, 308, 300, 305), targets), 14):
        Redirector.answer = (status, to)
        watch.taken()
        answered, read = trial(node, f"http://{RECEIVER[0]}:{RECEIVER[1]}/")
        judge(tally, watch, f"{status} to {to}", answered, read)
    server.shutdown()


def names(tally, node, watch):
    """Names that lead to each block."""
    for address in tally.sample(BLOCKS + BLOCKS_V6, 10):
        label = address.replace(".", "-").replace(":", "_")
        status, read = trial(node, f"https://at-{label}.example/")
        judge(tally, watch, f"a name of {address}", status, read)


def answers(name, kind, _before, _tcp):
    if not name.startswith("at-"):
        return []
    address = name.split(".")[0][3:].replace("-", ".").replace("_", ":")
    wanted = wire.AAAA if ":" in address else wire.A
    return [wire.record(kind, address)] if kind == wanted else []


def run(tally):
    reason = shared.inside_namespaces()
    if reason:
        return tally.skip(reason)
    wire.all_addresses_are_here(tally.folder)
    watch = wire.Watch()
    wire.NameServer(answers)
    with tally.server("--hooks-allow-cidr", f"{RECEIVER[0]}/32:{RECEIVER[1]}") as node:
        watch.ours = {("127.0.0.1", node.port), RECEIVER}
        # A public address is dialled, and seen: otherwise nothing below could fail.
        watch.taken()
        status, _ = trial(node, f"https://{PUBLIC}/")
        seen = watch.taken()
        tally.case("a public address is dialled", status == 200 and (PUBLIC, 443) in seen, f"{status} {seen}")
        for what, url in tally.sample(cases(), 150):
            status, read = trial(node, url)
            judge(tally, watch, what, status, read)
        # The same when a hook is registered, and from a compile of its own.
        for what, url in tally.sample(cases(), 40)[::1 if tally.quick else 8]:
            hook = {"point": "transform_context", "kind": "guard", "url": url, "timeout_ms": 1500}
            status, read = post(node, "/compile", shared.small(hooks=[{"id": "x", **hook}]))
            judge(tally, watch, f"{what}, in a compile", status if code(read) != "hook_failed" else 403, read)
        redirects(tally, node, watch)
        names(tally, node, watch)
        tally.alive(node, "all of it")


if __name__ == "__main__":
    shared.main(run)
