"""Name servers that lie about a hook's name: no private address may be dialled, and a call ends in its time.

The server asks the name server of this class, in a network where every address is this machine's and each
connection is seen. A name leads to a public address, to a private one, to both, or to one after the other.
"""

import struct
import time

import tally as shared
import wire
from addresses import PUBLIC, judge, trial
from wire import A, AAAA, CNAME, HTTPS, record

INSIDE, METADATA = "10.0.0.1", "169.254.169.254"
TIMEOUT_SECONDS = 1.5


def both(public, *private):
    """Records of one type, by the type that is asked for."""
    return [(A if "." in one and ":" not in one else AAAA, one) for one in (*public, *private)]


# Each name's records, for every question alike.
STANDING = {
    "private": both([], INSIDE),
    "metadata": both([], METADATA),
    "public-first": both([PUBLIC], INSIDE),
    "private-first": both([], INSIDE, PUBLIC),
    "one-of-many": both([PUBLIC] * 60, "127.0.0.1"),
    "other-family": both([PUBLIC], "::1"),
    "mapped": both([PUBLIC], "::ffff:127.0.0.1"),
    "nat64": both([], "64:ff9b::a00:1"),
    "six-to-four": both([], "2002:a00:1::1"),
    "unspecified": both([], "0.0.0.0", "::"),
}


def answers(name, kind, before, tcp):
    first = name.split(".")[0]
    if first in STANDING:
        return [record(which, value) for which, value in STANDING[first] if which == kind]
    own = TRICKS.get(first)
    return own(kind, before, tcp) if own else []


def address(kind, value):
    wanted = AAAA if ":" in value else A
    return [record(kind, value)] if kind == wanted else []


def alias(to, more=()):
    return [record(CNAME, to), *more]


TRICKS = {
    # Public when it is asked for the first time, private from then on, with nothing kept.
    "rebind": lambda kind, before, _: address(kind, PUBLIC if before == 0 else INSIDE),
    "flip": lambda kind, before, _: address(kind, PUBLIC if before % 2 else INSIDE),
    "flip-kept": lambda kind, before, _: [record(A, PUBLIC if before % 2 else INSIDE, ttl=2**31 - 1)]
    if kind == A else [],
    "alias": lambda kind, *_: alias("private.example", [record(A, INSIDE, wire.name_bytes("private.example"))]
                                    if kind == A else []),
    "alias-local": lambda *_: alias("localhost"),
    "alias-circle": lambda *_: alias("alias-circle.example"),
    "alias-chain": lambda kind, *_: [record(CNAME, f"c{at + 1}.example", wire.name_bytes(f"c{at}.example")
                                            if at else b"\xc0\x0c") for at in range(60)]
    + ([record(A, INSIDE, wire.name_bytes("c60.example"))] if kind == A else []),
    # The question is answered with nothing, and another name's address stands beside it.
    "poison": lambda kind, *_: (0x8180, [], [record(A, INSIDE)]) if kind == A else [],
    "other-name": lambda kind, *_: [record(A, INSIDE, wire.name_bytes("elsewhere.example"))]
    if kind == A else [],
    "short-udp": lambda kind, _, tcp: address(kind, INSIDE) if tcp else (0x8380, [], []),
    "hints": lambda kind, *_: [record(HTTPS, struct.pack("!H", 1) + b"\0" + struct.pack("!HH", 4, 4)
                                      + bytes([10, 0, 0, 1]))] if kind == HTTPS else address(kind, PUBLIC),
    "many": lambda kind, *_: [record(A, f"93.184.{at // 256}.{at % 256}") for at in range(3000)]
    + [record(A, INSIDE)] if kind == A else [],
    "loop": lambda *_: struct.pack("!HHHHH", 0x8180, 0, 1, 0, 0) + b"\xc0\x0c" * 40,
    "garbage": lambda *_: b"\xff" * 400,
    "silent": lambda *_: None,
    "refused": lambda *_: (0x8185, [], []),
}


def run(tally):
    reason = shared.inside_namespaces()
    if reason:
        return tally.skip(reason)
    wire.all_addresses_are_here(tally.folder)
    watch = wire.Watch()
    names = wire.NameServer(answers)
    with tally.server() as node:
        watch.ours = {("127.0.0.1", node.port), (wire.NAME_SERVER, 53)}
        watch.taken()
        # An honest name is dialled at its address, so that what follows can fail.
        STANDING["honest"] = both([PUBLIC])
        trial(node, "https://honest.example/")
        seen = watch.taken()
        tally.case("a name of a public address is dialled", (PUBLIC, 443) in seen, seen)
        for name in [*STANDING, *TRICKS]:
            for again in range(1 if tally.quick else 3):
                start = time.monotonic()
                status, read = trial(node, f"https://{name}.example/", f"x{again}")
                took = time.monotonic() - start
                if judge(tally, watch, f"{name}, call {again + 1}", status, read):
                    tally.case(f"{name}, call {again + 1}, in its time", took < TIMEOUT_SECONDS + 1, f"{took:.2f} s",
                               seconds=took)
        # No search domain and no hosts file: a name of one label is asked for as it is, or not at all.
        for name in ("db", "db.internal", "ip6-localhost", "metadata"):
            names.names.clear()
            status, read = trial(node, f"https://{name}/")
            judge(tally, watch, f"the short name {name}", status, read)
            longer = [asked for asked in names.names if asked.endswith("corp.example")]
            tally.case(f"the short name {name} without a search domain", not longer, longer)
        tally.alive(node, "all of it")


if __name__ == "__main__":
    shared.main(run)
