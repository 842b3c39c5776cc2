//! Over TLS: public authorities, those that the operator names, and no others.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use contexture::config::HooksConfig;
use contexture::domain::Clock;
use contexture::webhook::Webhooks;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::{Fixed, call, cause, dev, hook};
use crate::support::receiver::{Mode, Receiver};

/// Made for these tests, for the name `hooks.example`; the authority's key was thrown away.
const CERTIFICATE: &[u8] = include_bytes!("../support/tls/server.pem");
const KEY: &[u8] = include_bytes!("../support/tls/server.key.pem");

/// Answers every request with leave, over TLS.
pub async fn serve_tls() -> SocketAddr {
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(KEY).expect("a key");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a pair");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut request = vec![0; 16 << 10];
                let _ = stream.read(&mut request).await;
                let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
                              content-length: 20\r\n\r\n{\"decision\":\"allow\"}";
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.flush().await;
            });
        }
    });
    address
}

fn client(ca: Option<&str>) -> Webhooks {
    let file =
        |name| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/tls").join(name);
    let config = HooksConfig { hooks_ca_file: ca.map(file), ..HooksConfig::default() };
    let resolver = Arc::new(Fixed(vec!["127.0.0.1".parse().expect("an address")]));
    Webhooks::new(&config, dev(), resolver, Clock::system()).expect("a client")
}

#[tokio::test]
async fn only_a_known_authority_is_trusted_and_only_for_the_name() {
    let address = serve_tls().await;
    let of = |host: &str, id: &str| {
        hook("guard", &format!("https://{host}:{}/", address.port()), &json!({"id": id}))
    };
    let (own, public) = (client(Some("ca.pem")), client(None));
    assert_eq!(cause(&call(&own, &of("hooks.example", "a")).await), "answered");
    assert_eq!(cause(&call(&own, &of("other.example", "b")).await), "connect");
    assert_eq!(cause(&call(&own, &of("127.0.0.1", "c")).await), "connect");
    assert_eq!(cause(&call(&public, &of("hooks.example", "d")).await), "connect");
}

#[tokio::test]
async fn a_server_without_tls_is_not_told_a_word() {
    let receiver = Receiver::spawn(Mode::Answer("{\"decision\":\"allow\"}".to_owned())).await;
    let url = format!("https://hooks.example:{}/", receiver.address.port());
    let short = json!({"timeout_ms": 500});
    let called = call(&client(Some("ca.pem")), &hook("guard", &url, &short)).await;
    assert!(matches!(cause(&called), "connect" | "timeout"), "{called:?}");
    assert!(receiver.requests().is_empty());
}

#[test]
fn a_file_without_certificates_is_refused() {
    let config = |name: &str| HooksConfig {
        hooks_ca_file: Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)),
        ..HooksConfig::default()
    };
    for file in ["Cargo.toml", "no-such-file.pem"] {
        let resolver = Arc::new(Fixed(Vec::new()));
        assert!(Webhooks::new(&config(file), dev(), resolver, Clock::system()).is_err(), "{file}");
    }
}
