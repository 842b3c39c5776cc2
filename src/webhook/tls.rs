//! TLS of outgoing calls: which authorities may have signed a server's certificate.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// Why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("the file of certificates cannot be read")]
    File(#[source] io::Error),
    #[error("the file of certificates holds none that can be read")]
    Certificates,
    #[error("TLS cannot be set up")]
    Tls(#[source] rustls::Error),
}

/// The public authorities.
pub fn public_authorities() -> RootCertStore {
    RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }
}

/// The public authorities, and those of the system.
pub fn system_authorities() -> RootCertStore {
    let mut roots = public_authorities();
    // A certificate of the system that cannot be read is of no connection that works without it.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    roots
}

/// Returns the settings of a client that trusts `roots` and the certificates (PEM) of a file.
pub fn client_config(
    mut roots: RootCertStore,
    certificates: Option<&Path>,
) -> Result<ClientConfig, SetupError> {
    if let Some(file) = certificates {
        let text = std::fs::read(file).map_err(SetupError::File)?;
        let own: Vec<CertificateDer<'_>> =
            CertificateDer::pem_slice_iter(&text).filter_map(Result::ok).collect();
        let (added, ignored) = roots.add_parsable_certificates(own);
        if added == 0 || ignored > 0 {
            return Err(SetupError::Certificates);
        }
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(SetupError::Tls)?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
