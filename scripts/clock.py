#!/usr/bin/env python3
"""What happens to a server whose clock jumps: a day and a year, forwards and back.

    scripts/clock.py --binary target/release/contexture

The process gets another clock by libfaketime (Debian's package `faketime`); its monotonic clock goes on.
After each jump: requests end in their time and no sooner, a compile is what it was, events go on in one
order without a gap, names are new, observers hear, what lives until a date is gone if the date has come
and there if it has not. Ends with 1 where something is not so. Needs nothing else but Python.
"""

import argparse
import glob
import json
import os
import sys
import tempfile
import time

from harness import Node, Receiver, Report, Stream, until

DAY = 86_400
JUMPS = [("a day forwards", DAY), ("back again", 0), ("a day back", -DAY), ("a year forwards", 365 * DAY),
         ("a year back", -365 * DAY), ("back again", 0)]
CONVERSATION = {"messages": [{"role": "user", "content": "The same as ever."}], "target": "openai"}


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--binary", required=True)
    options = arguments.parse_args()
    library = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
    if not library:
        sys.exit("skipped: libfaketime is not there")
    report, receiver = Report(), Receiver()
    with tempfile.TemporaryDirectory() as folder:
        clock = os.path.join(folder, "clock")

        def set_clock(seconds):
            with open(clock + ".new", "w", encoding="ascii") as file:
                file.write(f"{seconds:+d}s\n")
            os.replace(clock + ".new", clock)

        set_clock(0)
        environment = {"LD_PRELOAD": library[0], "FAKETIME_TIMESTAMP_FILE": clock,
                       "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        node = Node(options.binary, f"sqlite:{folder}/clock.db", ["--dev", "--cleanup-interval-ms", "200"], environment)
        hook = {"id": "told", "point": "memory_changed", "kind": "observe", "url": receiver.url()}
        report.check("a hook is registered", node.call("POST", "/hooks", hook)[0] == 201)
        stream = Stream(node.port)
        payload = node.call("POST", "/compile", CONVERSATION)[1]["payload"]
        # Lives for half a day by the clock that was right when it was stored.
        for key, days in [("short", 0.5), ("long", 800)]:
            entry = {"value": f"{days} days", "ttl": {"seconds": int(days * DAY)}}
            status = node.call("PUT", f"/memory/{key}", entry)[0]
            report.check(f"an entry for {days} days is stored", status == 201, status)
        ids, told, gone = set(), 2, False
        is_gone = lambda: node.call("GET", "/events?format=json&types=memory:expired")[1]["items"]
        for name, seconds in JUMPS:
            set_clock(seconds)
            if seconds > DAY // 2 and not gone:
                gone = until(is_gone, 20) is not None
                report.check(f"{name}: what has had its time is removed", gone)
                # It was changed by being removed.
                told += 1
            start = time.monotonic()
            status, answer, _ = node.call("POST", "/compile", {**CONVERSATION, "record": "hashes"})
            took = time.monotonic() - start
            report.check(f"{name}: a compile is what it was, in its time",
                         status == 200 and answer["payload"] == payload and took < 5, f"{took:.2f} s")
            ids.add(answer["id"])
            status = node.call("PUT", f"/memory/after_{len(ids)}", {"value": name})[0]
            told += 1
            report.check(f"{name}: memory is written", status == 201, status)
            short = node.call("GET", "/memory/short")[0]
            report.check(f"{name}: what lived until a date is {'gone' if gone else 'there'}",
                         short == (404 if gone else 200), short)
            long = node.call("GET", "/memory/long")[0]
            report.check(f"{name}: what lives longer is there", long == 200, long)
        report.check("each compile has a name of its own", len(ids) == len(JUMPS))
        heard = lambda: {text["event"]["key"] if "event" in text else json.dumps(text)
                         for _, text in receiver.heard}
        late = until(lambda: len(heard()) >= told, 30)
        report.check("observers hear of each change", late is not None, f"{len(heard())} of {told}")
        last = node.call("GET", "/events?format=json&limit=500")[1]
        expected = [event["seq"] for event in last["items"]]
        until(lambda: len(stream.order) >= len(expected), 10)
        report.check("events came in one order, without a gap",
                     stream.order == list(range(1, len(stream.order) + 1)) and
                     set(expected) <= set(stream.order), f"{len(stream.order)} events")
        jumps = lambda: any(line.startswith("contexture_clock_jumps_total ") and int(line.split()[1]) > 0
                            for line in node.call("GET", "/metrics")[1].splitlines())
        report.check("figures tell of it", until(jumps, 10) is not None)
        report.check("it stops when it is told to", node.end() == 0)
    report.end()


if __name__ == "__main__":
    main()
