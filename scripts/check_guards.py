#!/usr/bin/env python3
"""Takes each guard of outgoing calls out, one after the other, and sees a test fail without it.

    scripts/check_guards.py DIR [WORD]...

DIR gets a copy of the last commit in which each guard has a switch, so that it is compiled once, and a target folder
unless CARGO_TARGET_DIR names one. With words, only guards are taken out whose names hold one of them. A guard that
no test misses ends the run with 1.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

CONNECT, ADDRESS = "src/webhook/connector.rs", "src/webhook/address.rs"
TARGET, CLIENT, CALL = "src/webhook/target/mod.rs", "src/webhook/client.rs", "src/webhook/call.rs"
LAYER, READ = "src/http/layer.rs", "src/hook/parser/headers.rs"

# Name, file, what is there, and what is there with a switch: `OFF` is true while the guard is off.
GUARDS = [
    ("addresses are judged where they are dialled", CONNECT,
     "self.policy.check(*address, port, is_https).map_err(Error::Blocked)?;",
     "if !OFF { self.policy.check(*address, port, is_https).map_err(Error::Blocked)?; }"),
    ("all addresses of a name are judged", CONNECT, "for address in &addresses {",
     "for address in addresses.iter().take(if OFF { 1 } else { usize::MAX }) {"),
    ("localhost is this machine whatever DNS says", TARGET, "is_local.then(||", "(is_local && (!OFF || name.is_empty())).then(||"),
    ("addresses in a URL are judged when it is registered", TARGET,
     "self.check(address, port, is_https).map_err(|blocked| blocked.to_string())?;",
     "if !OFF { self.check(address, port, is_https).map_err(|blocked| blocked.to_string())?; }"),
    ("no user or password in a URL", TARGET, "!url.username().is_empty() || url.password().is_some()",
     "!OFF && (!url.username().is_empty() || url.password().is_some())"),
    ("no fragment in a URL", TARGET, "url.fragment().is_some()", "!OFF && url.fragment().is_some()"),
    ("no port of a well-known service", TARGET, "!matches!(port, 80 | 443) && port < MIN_FREE_PORT",
     "!OFF && !matches!(port, 80 | 443) && port < MIN_FREE_PORT"),
    ("no other scheme", TARGET, '_ => return Err("must be an https URL".to_owned()),',
     '_ => if OFF { true } else { return Err("must be an https URL".to_owned()) },'),
    ("no endless URL", TARGET, "text.len() > MAX_URL_BYTES", "!OFF && text.len() > MAX_URL_BYTES"),
    ("no http to names where nothing is allowed", TARGET, "!is_https && !self.allows_http()",
     "!OFF && !is_https && !self.allows_http()"),
    ("private networks of IPv4 are not public", ADDRESS, "IpAddr::V4(address) => !DENIED_V4",
     "IpAddr::V4(address) => OFF || !DENIED_V4"),
    ("only global IPv6 is public", ADDRESS, "inside(&GLOBAL_V6) &&", "(OFF || inside(&GLOBAL_V6)) &&"),
    ("what carries IPv4 in IPv6 is not public", ADDRESS, "!DENIED_V6.iter().any(inside)",
     "(OFF || !DENIED_V6.iter().any(inside))"),
    ("no http to public addresses", ADDRESS, "(true, false) => Err(BlockReason::PlainHttp),",
     "(true, false) => if OFF { Ok(()) } else { Err(BlockReason::PlainHttp) },"),
    ("the service does not call itself", ADDRESS, "if self.is_own(address, port) {",
     "if self.is_own(address, if OFF { 0 } else { port }) {"),
    ("an announced length is within the cap", CLIENT, "!cut && announced > u64::try_from(most).unwrap_or(u64::MAX)",
     "!OFF && !cut && announced > u64::try_from(most).unwrap_or(u64::MAX)"),
    ("bytes are counted while they come", CLIENT, "if data.len() > room {", "if !OFF && data.len() > room {"),
    ("time is up for a whole answer", CALL, "timeout(left(), self.client.send(request, most, observes)).await;",
     "timeout(if OFF { std::time::Duration::from_hours(1) } else { left() }, self.client.send(request, most, observes)).await;"),
    ("locked secrets call nobody", CALL, "endpoint.secrets.is_locked()", "!OFF && endpoint.secrets.is_locked()"),
    ("so many calls at once and no more", CALL, "self.gates.pass(key)",
     "self.gates.pass(&if OFF { BreakerKey::from_name(&new_id()) } else { key.clone() })"),
    ("an open breaker calls nobody", CALL, "self.breakers.admit(key, self.clock.now())",
     "self.breakers.admit(&if OFF { BreakerKey::from_name(&new_id()) } else { key.clone() }, self.clock.now())"),
    ("a hook sets no header that counts hops", READ, "FORBIDDEN_HEADERS.contains(&lower.as_str())",
     '(FORBIDDEN_HEADERS.contains(&lower.as_str()) && !(OFF && lower == "contexture-hop"))'),
    ("a hook sets no host", READ, "FORBIDDEN_HEADERS.contains(&lower.as_str())",
     '(FORBIDDEN_HEADERS.contains(&lower.as_str()) && !(OFF && lower == "host"))'),
    ("a request that goes round is stopped", LAYER, "Some(hops) if hops <= MAX_HOPS =>", "Some(hops) if OFF || hops <= MAX_HOPS =>"),
]
TESTS = [("contexture", ["webhook::"]), ("it", ["webhook::", "api::hooks::targets", "api::hooks::registry"])]
MAX_TEST_SECONDS = 300
VARIABLE = "CONTEXTURE_GUARD_OFF"
SWITCH = f"""
/// Whether a check takes this guard out.
pub fn guard_is_off(number: u32) -> bool {{
    std::env::var("{VARIABLE}").is_ok_and(|off| off == number.to_string())
}}
"""


def switched(folder):
    """Gives each guard its switch."""
    for number, (name, file, guard, switch) in enumerate(GUARDS, 1):
        path = folder / file
        text = path.read_text()
        if text.count(guard) != 1:
            sys.exit(f"{name}: {file} has it {text.count(guard)} times")
        path.write_text(text.replace(guard, switch.replace("OFF", f"crate::guard_is_off({number})")))
    library = folder / "src/lib.rs"
    library.write_text(library.read_text() + SWITCH)


def programs(folder, environment):
    """The test programs, by the name of their target."""
    command = ["cargo", "test", "--no-run", "--locked", "--message-format=json", "--lib", "--test", "it"]
    run = subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit("it does not compile")
    made = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    return {one["target"]["name"]: one["executable"] for one in made if one.get("executable") and one["profile"]["test"]}


def missed(folder, environment, made):
    """The first test that fails; none if all pass."""
    for name, filters in TESTS:
        try:
            run = subprocess.run([made[name], *filters], cwd=folder, env=environment, capture_output=True, text=True,
                                 timeout=MAX_TEST_SECONDS)
        except subprocess.TimeoutExpired:
            # Without a guard of time, what a test waits for may never come.
            return f"{name} does not end in {MAX_TEST_SECONDS} s"
        if run.returncode != 0:
            told = run.stdout + run.stderr
            failed = [line.split()[1] for line in told.splitlines() if line.startswith("---- ")]
            return failed[0] if failed else f"{name} ended with {run.returncode}"
    return None


def main():
    place = Path(sys.argv[1]).resolve()
    folder = place / "copy"
    folder.mkdir(parents=True, exist_ok=True)
    root = Path(__file__).resolve().parent.parent
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=root, capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    switched(folder)
    environment = {"CARGO_TARGET_DIR": str(place / "target"), **os.environ, "RUST_BACKTRACE": "0"}
    made = programs(folder, environment)
    broken = missed(folder, environment, made)
    if broken:
        sys.exit(f"with all guards, this test fails: {broken}")
    words, unmissed = sys.argv[2:], []
    for number, (name, *_) in enumerate(GUARDS, 1):
        if words and not any(word in name for word in words):
            continue
        test = missed(folder, {**environment, VARIABLE: str(number)}, made)
        print(f"{name}: {test or 'no test misses it'}", flush=True)
        if test is None:
            unmissed.append(name)
    print(f"{len(unmissed)} guards that no test misses")
    sys.exit(1 if unmissed else 0)


if __name__ == "__main__":
    main()
