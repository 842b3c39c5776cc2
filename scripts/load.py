#!/usr/bin/env python3
"""Requests a second and their delays, by wrk, beside a server that only parses and writes JSON.

    cargo build --release --bins --benches
    scripts/load.py SESSIONS [--program target/release/contexture] [--seconds 15]

SESSIONS is a folder of recorded conversations (JSON with `messages` in OpenAI's shape). Bodies are their
beginnings, of about 34 KB in the mean. *Warm*: the same bodies again and again, as a history that is
sent each turn. *Cold*: no text was ever seen before. The floor is `benches/events.rs --bare`: axum, which
parses the same bodies into values and writes them again. All in one run, one after another; client and
server share this machine. Needs wrk (Debian's package of that name) and Python.
"""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile

# Sent by wrk's script: every thread goes through all bodies; where they hold `@@`, a number that no
# request had before takes its place.
LUA = """
local bodies, at, count = {}, 0, 0
local thread = 0
function setup(t) t:set("id", thread); thread = thread + 1 end
function init()
  for line in io.lines("%(bodies)s") do bodies[#bodies + 1] = line end
  at = id * 17
  wrk.method = "POST"
  wrk.headers["content-type"] = "application/json"
end
function request()
  at = at %% #bodies + 1
  local body = bodies[at]
  if %(cold)s then
    count = count + 1
    body = body:gsub("@@", id .. "x" .. count)
  end
  return wrk.format(nil, nil, nil, body)
end
"""


def beginnings(folder, mark):
    """A body of each session: up to sizes from 20 to 120 KB in turn, as far as it goes."""
    for number, file in enumerate(sorted(folder.glob("*.json"))):
        most, size, taken = (20 + 100 * (number * 7 % 16) // 15) * 1000, 0, []
        for message in json.loads(file.read_text())["messages"]:
            if isinstance(message.get("content"), str):
                message = {**message, "content": message["content"].replace("@@", "@") + mark}
            size += len(json.dumps(message))
            if size > most and len(taken) > 1:
                break
            taken.append(message)
        yield taken


def wrk(url, bodies, cold, seconds, folder):
    script = pathlib.Path(folder, "load.lua")
    script.write_text(LUA % {"bodies": bodies, "cold": "true" if cold else "false"})
    out = subprocess.run(
        ["wrk", "--threads", "2", "--connections", "16", "--duration", f"{seconds}s", "--latency",
         "--timeout", "20s", "--script", str(script), url],
        capture_output=True, text=True, check=True).stdout
    found = {name: re.search(rf"{name}\s+([\d.]+)(us|ms|s)", out) for name in ("50%", "99%")}
    unit = {"us": 1e-3, "ms": 1.0, "s": 1e3}
    delay = {name: float(match[1]) * unit[match[2]] for name, match in found.items()}
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), delay["50%"], delay["99%"],
            int(bad[1]) if bad else 0)


def start(command):
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    while "http://" not in (line := child.stdout.readline()):
        assert line or child.poll() is None, command
    return child, "http://" + line.split("http://")[1].strip()


def floor():
    """The program that does nothing but HTTP and JSON, built like ours."""
    told = subprocess.run(
        ["cargo", "build", "--quiet", "--release", "--bench", "events", "--message-format", "json"],
        stdout=subprocess.PIPE, text=True, check=True).stdout
    built = [json.loads(line).get("executable") for line in told.splitlines()]
    return next(program for program in reversed(built) if program)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("sessions", type=pathlib.Path)
    arguments.add_argument("--program", default="target/release/contexture")
    arguments.add_argument("--seconds", type=int, default=15)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files, total, count = {}, 0, 0
        for kind, mark in (("warm", ""), ("cold", " @@")):
            for route in ("compile", "compress"):
                path = files[route, kind] = pathlib.Path(folder, f"{route}-{kind}")
                with path.open("w") as out:
                    for messages in beginnings(given.sessions, mark):
                        body = {"messages": messages, "model": "gpt-4o"}
                        if route == "compile":
                            body["target"] = "openai"
                        line = json.dumps(body, ensure_ascii=False)
                        # JSON has no bare line ends, but Unicode's may stand in its texts.
                        assert "\n" not in line
                        out.write(line + "\n")
                        total, count = total + len(line), count + 1
        print(f"bodies of {total / count / 1000:.0f} KB in the mean, 16 connections\n")
        print("| | requests/s | p50 ms | p99 ms | not 2xx |\n|---|---:|---:|---:|---:|")
        bare, url = start([floor(), "--bare"])
        rows = [("the floor: parse and write", url + "/echo", ("compile", "warm"))]
        database = f"sqlite:{folder}/load.db"
        ours, url = start(
            [given.program, "serve", "--listen", "127.0.0.1:0", "--database-url", database])
        rows += [(f"`/{route}` {kind}", f"{url}/{route}", (route, kind))
                 for route in ("compile", "compress") for kind in ("warm", "cold")]
        try:
            for name, url, body in rows:
                wrk(url, files[body], body[1] == "cold", 2, folder)
                rate, half, most, bad = wrk(
                    url, files[body], body[1] == "cold", given.seconds, folder)
                print(f"| {name} | {rate:,.0f} | {half:.2f} | {most:.2f} | {bad} |", flush=True)
        finally:
            for child in (bare, ours):
                child.terminate()
                child.wait()


if __name__ == "__main__":
    main()
