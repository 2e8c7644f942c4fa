//! Certificates, and clients that trust them.

use std::{
    fs::{self, Permissions},
    io,
    net::TcpStream,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::Arc,
};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, ServerName},
};

pub type TlsStream = StreamOwned<ClientConnection, TcpStream>;

/// Writes a certificate for the loopback address, and its key.
pub fn write_certificate(folder: &Path) -> CertificateDer<'static> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    fs::write(folder.join("cert.pem"), cert.pem()).unwrap();
    let key = folder.join("key.pem");
    fs::write(&key, signing_key.serialize_pem()).unwrap();
    fs::set_permissions(key, Permissions::from_mode(0o600)).unwrap();
    cert.der().clone()
}

/// Connects as a client that trusts this certificate and offers these protocols.
pub fn connect(
    stream: TcpStream,
    trusted: &CertificateDer<'static>,
    protocols: &[&[u8]],
) -> io::Result<TlsStream> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let mut stream = StreamOwned::new(
        ClientConnection::new(Arc::new(config), name).unwrap(),
        stream,
    );
    stream.conn.complete_io(&mut stream.sock)?;
    Ok(stream)
}
