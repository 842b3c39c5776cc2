//! The receivers of `examples/hooks/` do what they say, signed and over a real socket.
//!
//! `CONTEXTURE_PYTHON` names an interpreter that has their packages, `CONTEXTURE_NODE_MODULES` a
//! `node_modules` folder. A test without its variable skips.

use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use contexture::hook::{
    Call, CallScope, Caller as _, FailureCause, Hook, HookAction, HookAnswer, HookSecret, Secrets,
};
use serde_json::json;

use super::{dev, hook, webhooks};
use crate::support::prerequisite;

/// A receiver that runs until it is dropped.
struct Running {
    child: Child,
    address: SocketAddr,
    secret: HookSecret,
}

impl Running {
    /// `flag`: what comes before the port on the line of the command.
    fn start(command: &mut Command, flag: Option<&str>) -> Self {
        let secret = HookSecret::generate().expect("random bytes");
        let address = free();
        let port = address.port().to_string();
        let child = command
            .env("HOOK_SECRETS", secret.reveal())
            .env("PORT", &port)
            .args(flag.into_iter().flat_map(|flag| [flag, &port]))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the example starts");
        let mut running = Self { child, address, secret };
        running.wait();
        running
    }

    /// Until it accepts connections.
    fn wait(&mut self) {
        for _ in 0..600 {
            if std::net::TcpStream::connect(self.address).is_ok() {
                return;
            }
            let ended = self.child.try_wait().expect("a child");
            assert!(ended.is_none(), "the example ended: {ended:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the example does not listen");
    }

    fn hook(&self, kind: &str, point: &str, path: &str, secret: &HookSecret) -> Hook {
        let url = format!("http://{}{path}", self.address);
        let mut hook =
            hook(kind, &url, &json!({"id": path.trim_start_matches('/'), "point": point}));
        if let HookAction::Call(endpoint) = &mut hook.does {
            endpoint.secrets = Secrets::new(secret.clone());
        }
        hook
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port")
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/hooks")
}

async fn ask(hook: &Hook, input: &str) -> Result<HookAnswer, &'static str> {
    let point = hook.points[0];
    let scope = CallScope { tenant: "default".into(), ..CallScope::default() };
    let (occurrence, allowance) = (0, Duration::from_secs(20));
    let timeout_cause = FailureCause::Timeout;
    let call = Call { hook, point, occurrence, scope: &scope, input, allowance, timeout_cause };
    webhooks(dev()).call(call).await.answer.map_err(|failure| failure.cause.as_str())
}

async fn check(running: &Running) {
    let own = &running.secret;
    let rag = running.hook("provide", "before_compile", "/rag", own);
    let asks = |text: &str| {
        json!({"system": [], "history": [{"id": "m", "role": "user",
            "parts": [{"type": "text", "text": text}]}],
            "dynamic_state": null, "dynamic_state_xml": null})
        .to_string()
    };
    let Ok(HookAnswer::Fragments(found)) = ask(&rag, &asks("When is my refund paid?")).await else {
        panic!("fragments")
    };
    assert_eq!(found.len(), 1);
    assert!(found[0].content.contains("14 days"));
    assert_eq!(ask(&rag, &asks("Hello")).await, Ok(HookAnswer::Nothing));

    let redact = running.hook("transform", "tool_result", "/redact", own);
    let result = |text: &str| {
        json!({"tool": {"name": "Read", "call_id": "c", "arguments": {}},
            "result": {"content": text, "is_error": false}})
        .to_string()
    };
    let Ok(HookAnswer::Replace(new)) = ask(&redact, &result("to ann@example.com.")).await else {
        panic!("a replacement")
    };
    let new: serde_json::Value = serde_json::from_str(&new).expect("JSON");
    assert_eq!(new, json!({"content": "to [email]", "is_error": false}));
    assert_eq!(ask(&redact, &result("nothing")).await, Ok(HookAnswer::Unchanged));

    let veto = running.hook("guard", "memory_update", "/veto", own);
    let write = |value: Option<&str>| {
        json!({"origin": "model", "op": "create", "key": "k", "value": value, "old_value": null})
            .to_string()
    };
    let denied = ask(&veto, &write(Some("my password is x"))).await;
    assert!(matches!(denied, Ok(HookAnswer::Deny { .. })), "{denied:?}");
    assert_eq!(ask(&veto, &write(Some("likes tea"))).await, Ok(HookAnswer::Allow));
    assert_eq!(ask(&veto, &write(None)).await, Ok(HookAnswer::Allow));

    let stranger = HookSecret::generate().expect("random bytes");
    let forged = running.hook("guard", "memory_update", "/veto", &stranger);
    assert_eq!(ask(&forged, &write(None)).await, Err("status"));
}

#[tokio::test]
async fn the_python_receiver_does_what_it_says() {
    let Some(python) = prerequisite::variable("python_packages") else { return };
    let mut command = Command::new(python);
    command.current_dir(examples().join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
    command.args(["-m", "uvicorn", "receiver:app"]);
    check(&Running::start(&mut command, Some("--port"))).await;
}

#[tokio::test]
async fn the_typescript_receiver_does_what_it_says() {
    let Some(modules) = prerequisite::variable("node_packages") else { return };
    // Node looks for packages beside the file, so it stands beside them for the time of the test.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("receiver.ts");
    std::fs::copy(examples().join("typescript/receiver.ts"), &file).expect("a copy");
    let modules = PathBuf::from(modules);
    std::os::unix::fs::symlink(&modules, folder.path().join("node_modules")).expect("a link");
    let mut command = Command::new("node");
    command.arg("--import").arg("tsx").arg(&file).current_dir(folder.path());
    check(&Running::start(&mut command, None)).await;
}
