//! The built program as a process of its own.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};

/// A running `contexture serve`, killed on drop.
pub struct ServerProcess {
    pub child: Child,
    pub address: SocketAddr,
}

impl ServerProcess {
    /// The program with no variable set, but for one that keeps files out of the repository.
    pub fn command() -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_contexture"));
        command.env_clear().env("CONTEXTURE_DATABASE_URL", "memory:");
        command
    }

    /// Starts the server on a free port and reads the address that it prints.
    pub fn start(flags: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", flags)
    }

    /// Starts the server at an address.
    pub fn start_at(listen: &str, flags: &[&str]) -> Self {
        let mut command = Self::command();
        command.args(["serve", "--listen", listen]).args(flags);
        Self::spawned(command)
    }

    /// Runs a command that serves, and reads the address that it prints.
    pub fn spawned(command: Command) -> Self {
        Self::logging_to(command, Stdio::null())
    }

    /// The same, with a place for what it logs.
    pub fn logging_to(mut command: Command, log: Stdio) -> Self {
        let mut child =
            command.stdout(Stdio::piped()).stderr(log).spawn().expect("the program starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("standard output");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .unwrap_or_else(|| panic!("no address in {line:?}"))
            .parse()
            .expect("an address");
        Self { child, address }
    }

    /// Sends a signal by name, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status()
            .expect("kill runs");
        assert!(status.success());
    }

    pub async fn exit(&mut self) -> ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    /// Resident memory in KiB.
    pub fn resident_kib(&self) -> u64 {
        self.status("VmRSS:")
    }

    /// The highest that the resident memory has been, in KiB.
    pub fn peak_kib(&self) -> u64 {
        self.status("VmHWM:")
    }

    fn status(&self, key: &str) -> u64 {
        let path = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(path).expect("a process");
        let line = text.lines().find(|line| line.starts_with(key)).expect("a line");
        line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
