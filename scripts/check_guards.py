#!/usr/bin/env python3
"""Compiles each guard of outgoing calls out, one after the other, and sees a test fail without it.

    scripts/check_guards.py DIR [WORD]...

DIR gets a copy of the last commit, and a target folder unless CARGO_TARGET_DIR names one. With words, only guards are taken out whose
names hold one of them. A guard that no test misses ends the run with 1.
"""

import os
import subprocess
import sys
from pathlib import Path

CONNECT, ADDRESS = "src/webhook/connector.rs", "src/webhook/address.rs"
TARGET, CLIENT, CALL = "src/webhook/target/mod.rs", "src/webhook/client.rs", "src/webhook/call.rs"
LAYER, READ = "src/http/layer.rs", "src/hook/parser/headers.rs"

# Name, file, what stands there, what stands there without the guard.
GUARDS = [
    ("addresses are judged where they are dialled", CONNECT,
     "self.policy.check(*address, port, is_https).map_err(Error::Blocked)?;", "let _ = (address, is_https);"),
    ("all addresses of a name are judged", CONNECT, "for address in &addresses {", "for address in addresses.iter().take(1) {"),
    ("localhost is this machine whatever DNS says", TARGET, "is_local.then(||", "(is_local && name.is_empty()).then(||"),
    ("addresses in a URL are judged when it is registered", TARGET,
     "self.check(address, port, is_https).map_err(|blocked| blocked.to_string())?;", "let _ = address;"),
    ("no user or password in a URL", TARGET, "!url.username().is_empty() || url.password().is_some()", "false"),
    ("no fragment in a URL", TARGET, "url.fragment().is_some()", "false"),
    ("no port of a well-known service", TARGET, "!matches!(port, 80 | 443) && port < MIN_FREE_PORT", "false"),
    ("no other scheme", TARGET, '_ => return Err("must be an https URL".to_owned()),', "_ => true,"),
    ("no endless URL", TARGET, "text.len() > MAX_URL_BYTES", "false"),
    ("no http to names where nothing is allowed", TARGET, "!is_https && !self.allows_http()", "false"),
    ("private networks of IPv4 are not public", ADDRESS, "IpAddr::V4(address) => !DENIED_V4", "IpAddr::V4(address) => !DENIED_V4[..0]"),
    ("only global IPv6 is public", ADDRESS, "inside(&GLOBAL_V6) && !DENIED_V6", "!DENIED_V6"),
    ("what carries IPv4 in IPv6 is not public", ADDRESS, "!DENIED_V6.iter().any(inside)", "!DENIED_V6[..0].iter().any(inside)"),
    ("no http to public addresses", ADDRESS, "(true, false) => Err(BlockReason::PlainHttp),", "(true, false) => Ok(()),"),
    ("the service does not call itself", ADDRESS, "if self.is_own(address, port) {", "if self.is_own(address, 0) {"),
    ("an announced length is within the cap", CLIENT, "!cut && announced > u64::try_from(most).unwrap_or(u64::MAX)", "false && announced > 0"),
    ("bytes are counted while they come", CLIENT, "if data.len() > room {", "if data.len() > usize::MAX - 1 {"),
    ("time is up for a whole answer", CALL, "let sent = timeout(left(), self.client.send(request, most, observes)).await;",
     "let sent = Ok::<_, NoResponse>(self.client.send(request, most, observes).await);"),
    ("locked secrets call nobody", CALL, "endpoint.secrets.is_locked()", "false"),
    ("so many calls at once and no more", CALL, "timeout(left(), self.gates.pass(key)).await", "timeout(left(), self.gates.pass(&(Arc::clone(&key.0), new_id()))).await"),
    ("an open breaker calls nobody", CALL, "self.breakers.admit(key, self.clock.now())", "self.breakers.admit(&(Arc::clone(&key.0), new_id()), self.clock.now())"),
    ("a hook sets no header that counts hops", READ, '    "contexture-hop",\n', ""),
    ("a hook sets no host", READ, '    "host",\n', ""),
    ("a request that goes round is stopped", LAYER, "Some(hops) if hops <= MAX_HOPS =>", "Some(hops) =>"),
]
TESTS = [["--lib", "webhook::"], ["--test", "it", "--", "webhook::", "api::hooks::targets", "api::hooks::registry"]]


def missed(folder, environment):
    """The first test run that fails, with its first failing test; none where all pass."""
    for arguments in TESTS:
        command = ["cargo", "test", "--quiet", "--locked", *arguments]
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if run.returncode != 0:
            told = run.stdout + run.stderr
            failed = [line.split()[1] for line in told.splitlines() if line.startswith("---- ")]
            if not failed:
                sys.exit(f"it does not compile:\n{told[-3000:]}")
            return failed[0]
    return None


def main():
    place = Path(sys.argv[1]).resolve()
    folder = place / "copy"
    folder.mkdir(parents=True, exist_ok=True)
    root = Path(__file__).resolve().parent.parent
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=root, capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
    environment = {"CARGO_TARGET_DIR": str(place / "target"), **os.environ, "RUST_BACKTRACE": "0"}
    words = sys.argv[2:]
    unmissed = []
    for name, file, guard, without in GUARDS:
        if words and not any(word in name for word in words):
            continue
        path = folder / file
        text = path.read_text()
        if text.count(guard) != 1:
            sys.exit(f"{name}: {file} has it {text.count(guard)} times")
        path.write_text(text.replace(guard, without))
        try:
            test = missed(folder, environment)
        finally:
            path.write_text(text)
        print(f"{name}: {test or 'no test misses it'}", flush=True)
        if test is None:
            unmissed.append(name)
    sys.exit(1 if unmissed else 0)


if __name__ == "__main__":
    main()
