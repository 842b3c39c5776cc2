//! A disk without room, on a small file system of its own.

use std::ops::Range;
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::Value;

use crate::support::wait::until_within;
use crate::support::{Reply, ServerProcess, prerequisite, request, send};

/// A small file system in memory.
struct SmallDisk {
    folder: tempfile::TempDir,
}

impl SmallDisk {
    /// Mounts it; none if this process may not mount, so that the caller skips.
    fn mount(mebibytes: u32) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("mount");
        let size = format!("size={mebibytes}m");
        command.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(folder.path());
        let is_mounted = command.output().is_ok_and(|output| output.status.success());
        if !is_mounted {
            prerequisite::skip("tmpfs", "this process may not mount a file system");
            return None;
        }
        Some(Self { folder })
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn url(&self) -> String {
        format!("sqlite:{}", self.file("contexture.db").display())
    }

    fn serve(&self) -> ServerProcess {
        ServerProcess::start(&["--database-url", &self.url()])
    }

    /// Runs a server that cannot start.
    fn fail_to_serve(&self) -> Output {
        let line = ["serve", "--listen", "127.0.0.1:0", "--database-url", &self.url()];
        ServerProcess::command().args(line).output().unwrap()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.folder.path()).output();
    }
}

/// A text that does not compress to less than half, another for each key.
fn incompressible(key: &str, bytes: usize) -> String {
    let mut state = key.bytes().fold(1_u64, |state, byte| state * 31 + u64::from(byte));
    std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        format!("{:08x}", state >> 32)
    })
    .take(bytes / 8)
    .collect()
}

async fn put(server: &ServerProcess, key: &str) -> Reply {
    let body = format!("{{\"value\": \"{}\"}}", incompressible(key, 32_000));
    send(server.address, &request("PUT", &format!("/memory/{key}"), &[], body.as_bytes())).await
}

async fn delete(server: &ServerProcess, key: &str) -> u16 {
    send(server.address, &request("DELETE", &format!("/memory/{key}"), &[], b"")).await.status
}

async fn compile(server: &ServerProcess) -> u16 {
    let body = br#"{"messages":[{"role":"user","content":"hi"}],"target":"openai"}"#;
    send(server.address, &request("POST", "/compile", &[], body)).await.status
}

async fn readiness(server: &ServerProcess) -> (String, String) {
    let reply = send(server.address, &request("GET", "/readyz", &[], b"")).await;
    let body: Value = serde_json::from_slice(&reply.body).unwrap();
    let word = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
    (word("status"), word("store"))
}

/// Writes until there is no room; returns the number of entries.
async fn fill(server: &ServerProcess) -> usize {
    let mut stored = 0;
    let refused = loop {
        let reply = put(server, &format!("k{stored}")).await;
        if reply.status != 201 {
            break reply;
        }
        stored += 1;
        assert!(stored < 2_000, "the disk is never full");
    };
    assert_eq!((refused.status, refused.code().as_str()), (507, "storage_full"));
    stored
}

async fn assert_full(server: &ServerProcess) {
    assert_eq!(readiness(server).await, ("degraded".to_owned(), "full".to_owned()));
    assert_eq!(compile(server).await, 200);
}

/// Removes all entries, and waits until writes are taken again.
async fn make_room(server: &ServerProcess, keys: Range<usize>) {
    for at in keys {
        assert_eq!(delete(server, &format!("k{at}")).await, 204, "{at}");
    }
    until_within(Duration::from_secs(30), "no write is taken", async || {
        (put(server, "again").await.status != 507).then_some(())
    })
    .await;
    assert_eq!(readiness(server).await.0, "ok");
}

#[tokio::test]
async fn what_is_left_of_a_full_disk_is_for_removals() {
    let Some(disk) = SmallDisk::mount(24) else { return };
    let server = disk.serve();
    let stored = fill(&server).await;
    assert_full(&server).await;
    // The first may find what the checkpoint has left.
    let more = async |name: &str| put(&server, name).await.status;
    let mut taken = 0;
    for at in 0..100 {
        taken += usize::from(more(&format!("more{at}")).await == 201);
    }
    assert!(taken < 40, "{taken} writes were taken on a full disk");
    make_room(&server, 0..stored).await;
}

/// Each commit is larger than the reserve of a new database. Deleting such a row must not need as
/// much room as the row has.
#[tokio::test]
async fn a_disk_that_large_texts_have_filled_is_freed_by_removals() {
    for mebibytes in [46, 58, 72] {
        let Some(disk) = SmallDisk::mount(mebibytes) else { return };
        let server = disk.serve();
        let mut stored = Vec::new();
        let refused = loop {
            let text = incompressible(&format!("text{}", stored.len()), 15_000_000);
            let head = [("content-type", "text/plain")];
            let body = text.as_bytes();
            let reply = send(server.address, &request("POST", "/artifacts", &head, body)).await;
            if reply.status != 201 {
                break reply;
            }
            let answer: Value = serde_json::from_slice(&reply.body).unwrap();
            stored.push(answer["id"].as_str().unwrap().to_owned());
            assert!(stored.len() < 20, "the disk is never full");
        };
        assert_eq!((refused.status, refused.code().as_str()), (507, "storage_full"));
        assert_full(&server).await;
        assert!(!stored.is_empty());
        for id in &stored {
            let asked = request("DELETE", &format!("/artifacts/{id}"), &[], b"");
            let gone = send(server.address, &asked).await;
            assert_eq!(gone.status, 204, "{mebibytes} MiB, {} stored", stored.len());
        }
        make_room(&server, 0..0).await;
        // The room went back to the disk: as much as before can be stored again.
        let text = incompressible("again", 15_000_000);
        let head = [("content-type", "text/plain")];
        let asked = request("POST", "/artifacts", &head, text.as_bytes());
        assert_eq!(send(server.address, &asked).await.status, 201, "{mebibytes} MiB");
        let file = std::fs::metadata(disk.file("contexture.db")).unwrap().len();
        assert!(file < 30 << 20, "{mebibytes} MiB: the file still has {file} bytes");
    }
}

/// Another program fills the disk, so that there is not even room to open the database but for the
/// reserve.
#[tokio::test]
async fn a_server_that_was_killed_on_a_full_disk_starts_degraded_and_compiles() {
    let Some(disk) = SmallDisk::mount(24) else { return };
    let server = disk.serve();
    for at in 0..20 {
        assert_eq!(put(&server, &format!("k{at}")).await.status, 201);
    }
    std::fs::write(disk.file("other"), vec![b'x'; 25 << 20]).unwrap_err();
    // Kills it.
    drop(server);
    std::fs::write(disk.file("another"), vec![b'x'; 25 << 20]).unwrap_err();
    let server = disk.serve();
    assert_full(&server).await;
    assert_eq!(put(&server, "k20").await.status, 507);
    assert_eq!(delete(&server, "k0").await, 204);
    std::fs::remove_file(disk.file("other")).unwrap();
    make_room(&server, 1..20).await;
}

#[test]
fn a_full_disk_has_an_exit_code() {
    let Some(disk) = SmallDisk::mount(24) else { return };
    std::fs::write(disk.file("other"), vec![b'x'; 25 << 20]).unwrap_err();
    let output = disk.fail_to_serve();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(74), "{told}");
    assert!(told.contains("its disk is full"), "{told}");
}

#[test]
fn an_address_in_use_has_an_exit_code() {
    let server = ServerProcess::start(&[]);
    let address = server.address.to_string();
    let output = ServerProcess::command().args(["serve", "--listen", &address]).output().unwrap();
    assert_eq!(output.status.code(), Some(78));
}
