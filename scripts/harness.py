"""What the scripts that start servers share: servers, a PostgreSQL of their own, a receiver of hooks.

Needs nothing but Python, and PostgreSQL's programs where a script wants a `Cluster`.
"""

import glob
import http.client
import http.server
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

BOOTSTRAP = "b" * 40


def call(port, method, path, body=None, key=BOOTSTRAP, timeout=20, headers=None):
    """Status, body as JSON where it is JSON, and headers. Errors of the connection are raised."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        text = json.dumps(body) if body is not None else None
        sent = {"content-type": "application/json", **(headers or {})}
        if key:
            sent["authorization"] = f"Bearer {key}"
        connection.request(method, path, text, sent)
        answer = connection.getresponse()
        read = answer.read()
        try:
            return answer.status, json.loads(read or b"null"), answer.headers
        except ValueError:
            return answer.status, read.decode(errors="replace"), answer.headers
    finally:
        connection.close()


def until(condition, within, pause=0.05):
    """How long it took until `condition` held; None where it did not in time."""
    start = time.monotonic()
    while time.monotonic() - start < within:
        try:
            if condition():
                return time.monotonic() - start
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(pause)
    return None


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def work(pid):
    """Seconds of work of a process so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Node:
    """A server as a process of its own. A variable of the environment that is None is not set."""

    def __init__(self, binary, url, arguments=(), environment=None, prefix=()):
        self.command = [*prefix, binary, "serve", "--listen", "127.0.0.1:0", *arguments]
        variables = {
            "PATH": os.environ.get("PATH", ""),
            "CONTEXTURE_DATABASE_URL": url,
            "CONTEXTURE_BOOTSTRAP_KEY": BOOTSTRAP,
            **(environment or {}),
        }
        self.environment = {name: value for name, value in variables.items() if value is not None}
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            self.command,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        line = self.process.stdout.readline().decode()
        found = re.search(r":(\d+)\s*$", line)
        if not found:
            sys.exit(f"the server does not start: {line!r}")
        self.port = int(found.group(1))

    def call(self, method, path, body=None, **more):
        return call(self.port, method, path, body, **more)

    def tell(self, how):
        self.process.send_signal(how)

    def end(self, how=signal.SIGTERM):
        """Sends a signal and answers the exit code."""
        self.process.send_signal(how)
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        return code

    def figure(self, name):
        """A line of `/proc/PID/status`, in KiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(rf"{name}:\s+(\d+)", file.read()).group(1))


class Cluster:
    """A PostgreSQL server in a folder of its own, on a port of its own."""

    def __init__(self):
        self.bin = self.programs()
        if not self.bin:
            sys.exit("skipped: PostgreSQL's programs (initdb, pg_ctl) are not there")
        # PostgreSQL does not run as root.
        self.user = None
        if os.getuid() == 0:
            names = [name for name in ("postgres", "nobody") if self.knows(name)]
            if not names:
                sys.exit("skipped: there is nobody but root to run PostgreSQL as")
            self.user = names[0]
        self.folder = tempfile.mkdtemp(prefix="contexture-pg-")
        if self.user:
            shutil.chown(self.folder, self.user)
        self.data = os.path.join(self.folder, "data")
        self.port = free_port()
        self.run("initdb", "-D", self.data, "-U", "contexture", "-A", "trust", "-E", "UTF8")
        with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="ascii") as file:
            file.write(
                f"port = {self.port}\nlisten_addresses = '127.0.0.1'\n"
                f"unix_socket_directories = '{self.folder}'\nmax_connections = 200\n"
            )
        self.start()
        self.url = f"postgres://contexture@127.0.0.1:{self.port}/postgres"

    @staticmethod
    def programs():
        found = shutil.which("pg_ctl")
        places = [os.path.dirname(found)] if found else []
        places += sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
        return next((place for place in places if os.path.exists(f"{place}/initdb")), None)

    @staticmethod
    def knows(name):
        try:
            pwd.getpwnam(name)
            return True
        except KeyError:
            return False

    def run(self, program, *arguments):
        subprocess.run(
            [os.path.join(self.bin, program), *arguments],
            check=True,
            user=self.user,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def control(self, *arguments):
        log = os.path.join(self.folder, "log")
        self.run("pg_ctl", "-D", self.data, "-l", log, "-w", *arguments)

    def start(self):
        self.control("start")

    def stop(self, mode="immediate"):
        self.control("stop", "-m", mode)

    def processes(self):
        with open(os.path.join(self.data, "postmaster.pid"), encoding="ascii") as file:
            first = int(file.readline())
        with open(f"/proc/{first}/task/{first}/children", encoding="ascii") as file:
            return [first, *map(int, file.read().split())]

    def freeze(self):
        """Stops every process of the server; answers what lets them go on."""
        frozen = self.processes()
        for one in frozen:
            os.kill(one, signal.SIGSTOP)

        def thaw():
            for one in frozen:
                try:
                    os.kill(one, signal.SIGCONT)
                except ProcessLookupError:
                    pass

        return thaw

    def remove(self):
        try:
            self.stop()
        except subprocess.CalledProcessError:
            pass
        shutil.rmtree(self.folder, ignore_errors=True)


class Receiver(http.server.ThreadingHTTPServer):
    """Takes what hooks are told, and may hold an answer back."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock = threading.Lock()
        self.heard = []
        # The port of whoever called, for each of them.
        self.callers = []
        self.open = threading.Event()
        self.open.set()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/"

    def handle_error(self, *_):
        """Who asked has gone away."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        with self.server.lock:
            self.server.heard.append((self.headers["webhook-id"], json.loads(body)))
            self.server.callers.append(self.client_address[1])
        self.server.open.wait()
        try:
            self.send_response(204)
            self.send_header("content-length", "0")
            self.end_headers()
        except OSError:
            pass

    def log_message(self, *_):
        pass


class Stream(threading.Thread):
    """Reads a node's events, with the time at which each came."""

    def __init__(self, port, query="after=0"):
        super().__init__(daemon=True)
        self.port, self.query = port, query
        self.came = {}
        self.order = []
        self.ended = False
        self.start()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            headers = {"authorization": f"Bearer {BOOTSTRAP}"}
            connection.request("GET", f"/events?{self.query}", headers=headers)
            answer = connection.getresponse()
            while line := answer.readline():
                if line.startswith(b"data: "):
                    event = json.loads(line[6:])
                    if "seq" in event:
                        self.came[event["seq"]] = (time.monotonic(), event)
                        self.order.append(event["seq"])
        except (OSError, http.client.HTTPException, ValueError):
            pass
        self.ended = True


class Report:
    """Counts what held and what did not; one line each."""

    def __init__(self):
        self.passed, self.failed = 0, 0

    def check(self, what, holds, told=""):
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        print(f"{'ok  ' if holds else 'FAIL'} {what}{': ' + str(told) if told != '' else ''}", flush=True)

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        sys.exit(1 if self.failed else 0)
