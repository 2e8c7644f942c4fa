//! `[server.tls]`: the server's certificate and key.

use std::{
    fmt,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    RootCertStore, ServerConfig,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

use crate::{
    issue::Issues,
    kinds::path,
    library_path::absolute,
    section::{Field, IntoField as _, Section as _, SettingEntry, Shown, section},
    table::Table,
};
use library::{
    file_access::{self, ReadFileError},
    sha256::Sha256Sum,
};
use text::without_mark;

const MAX_FILE_BYTES: u64 = 1 << 20;
/// The only protocol offered. HTTP/2, whose streams need their own limits, is left to a proxy.
const PROTOCOL: &[u8] = b"http/1.1";

/// A certificate and its key, which were valid when the configuration was loaded.
#[derive(Clone)]
pub struct TlsSettings {
    /// The absolute path of the certificate.
    pub certificate: PathBuf,
    /// The absolute path of the private key.
    pub key: PathBuf,
    identity: Arc<ServerConfig>,
    own_certificate: CertificateDer<'static>,
    /// The hash of both files' contents.
    contents: Sha256Sum,
    key_mode: u32,
}

section! {
    /// `[server.tls]` as written.
    pub(crate) struct TlsFiles {
        /// The server's certificate, followed by its issuers' certificates.
        certificate: PathBuf = path(
            "the path of the server's PEM certificate, relative to this file, such as \"cert.pem\"",
        ).required().example("\"cert.pem\""),
        /// The certificate's private key, without a passphrase. Only the server's user should be
        /// able to read it.
        key: PathBuf = path(
            "the path of the certificate's PEM private key, relative to this file, such as \
             \"key.pem\"",
        ).required().example("\"key.pem\""),
    }
}

/// The table `tls`. Its files are read with the configuration, which is invalid if the server could
/// not start with them.
pub(crate) struct TlsTable;

const ALLOWED: &str = "a table, as in [server.tls]";
const NOT_SET: &str = "connections are not encrypted";

impl Field for TlsTable {
    type Value = Option<TlsSettings>;

    fn entries(&self, key: &'static str, doc: &'static str) -> Vec<SettingEntry> {
        vec![SettingEntry::of_table(key, doc, ALLOWED, NOT_SET)]
    }

    fn read(
        &self,
        key: &'static str,
        table: &Table<'_>,
        issues: &mut Issues<'_>,
    ) -> Option<TlsSettings> {
        let table = table.table(key, ALLOWED, issues)?;
        let files = TlsFiles::read_table(&table, issues);
        // A missing path has already been reported.
        if [&files.certificate, &files.key]
            .iter()
            .any(|path| path.as_os_str().is_empty())
        {
            return None;
        }
        let [certificate, private_key] =
            [files.certificate, files.key].map(|path| absolute(table.document.folder, &path));
        match TlsSettings::read(certificate.clone(), private_key.clone()) {
            Ok(tls) => Some(tls),
            Err((file, error)) => {
                let (named, path) = match file {
                    TlsFile::Certificate => ("certificate", certificate),
                    TlsFile::Key => ("key", private_key),
                };
                let message = format!(
                    "`{}` names {}, which {error}",
                    table.path_of(named),
                    path.display()
                );
                issues
                    .missing(&table.span_of(named), &message)
                    .allow(error.remedy(file));
                None
            }
        }
    }

    fn show(&self, key: &'static str, value: &Option<TlsSettings>, shown: &mut Shown) {
        let Some(TlsSettings {
            certificate,
            key: private_key,
            ..
        }) = value
        else {
            return shown.not_set(key, NOT_SET);
        };
        shown.header(&format!("{}.{key}", shown.path));
        TlsFiles {
            certificate: certificate.clone(),
            key: private_key.clone(),
        }
        .show(shown);
    }
}

/// The file that has the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsFile {
    Certificate,
    Key,
}

/// Why a certificate and a key cannot be used. The message follows `FILE, which`.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("cannot be read: {0}")]
    Unreadable(#[from] ReadFileError),
    #[error("contains no PEM certificate")]
    NoCertificate,
    #[error("contains a damaged section: {0}")]
    Damaged(String),
    #[error("contains no PEM private key")]
    NoKey,
    #[error("contains an encrypted private key")]
    Encrypted,
    #[error("cannot be used: {0}")]
    Unusable(String),
    #[error("does not match the certificate")]
    OtherKey,
}

impl TlsError {
    pub const fn remedy(&self, file: TlsFile) -> &'static str {
        match (self, file) {
            (Self::Encrypted, _) => {
                "a private key without a passphrase; `openssl pkey -in FILE -out NEW_FILE` writes \
                 one"
            }
            (Self::OtherKey, _) => {
                "the private key for the first certificate in `certificate`; put the server's own \
                 certificate first, followed by its issuers' certificates"
            }
            (_, TlsFile::Certificate) => {
                "a PEM file (`-----BEGIN CERTIFICATE-----`) that the server's user may read; \
                 `openssl x509 -inform der -in FILE -out NEW_FILE` converts a DER file"
            }
            (_, TlsFile::Key) => {
                "a PEM file (`-----BEGIN PRIVATE KEY-----`) that the server's user may read, with \
                 an RSA, ECDSA or Ed25519 key"
            }
        }
    }
}

impl TlsSettings {
    /// Reads a certificate and a key.
    ///
    /// # Errors
    /// A file cannot be read or used, or the key does not match the certificate.
    fn read(certificate: PathBuf, key: PathBuf) -> Result<Self, (TlsFile, TlsError)> {
        let of_certificate = |error| (TlsFile::Certificate, error);
        let of_key = |error| (TlsFile::Key, error);
        let chain = read(&certificate)
            .and_then(|(text, _)| parse_certificates(&text))
            .map_err(of_certificate)?;
        let (text, key_mode) = read(&key).map_err(of_key)?;
        let private_key = parse_key(&text).map_err(of_key)?;
        let contents: Vec<_> = chain.iter().map(AsRef::as_ref).chain([&*text]).collect();
        let contents = Sha256Sum::of(&contents.concat());
        let own_certificate = chain[0].clone();
        let identity = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| of_key(TlsError::Unusable(error.to_string())))?
            .with_no_client_auth()
            .with_single_cert(chain, private_key);
        let mut identity = identity.map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => of_key(TlsError::OtherKey),
            rustls::Error::InvalidCertificate(_) => {
                of_certificate(TlsError::Unusable(error.to_string()))
            }
            _ => of_key(TlsError::Unusable(error.to_string())),
        })?;
        identity.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(Self {
            certificate,
            key,
            identity: Arc::new(identity),
            own_certificate,
            contents,
            key_mode,
        })
    }

    /// Returns the configuration for handshakes.
    pub fn identity(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.identity)
    }

    /// Returns the server's own certificate in DER.
    pub fn own_certificate(&self) -> &[u8] {
        &self.own_certificate
    }

    /// Returns a warning if other users can read the key.
    pub fn warning(&self) -> Option<String> {
        mode_warning("private key", &self.key, self.key_mode)
    }
}

impl PartialEq for TlsSettings {
    fn eq(&self, other: &Self) -> bool {
        let Self {
            certificate,
            key,
            identity: _,
            own_certificate: _,
            contents,
            key_mode: _,
        } = self;
        *certificate == other.certificate && *key == other.key && *contents == other.contents
    }
}

impl Eq for TlsSettings {}

impl fmt::Debug for TlsSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            certificate, key, ..
        } = self;
        f.debug_struct("TlsSettings")
            .field("certificate", certificate)
            .field("key", key)
            .finish_non_exhaustive()
    }
}

/// Returns a warning about a file with this mode if other users can read or replace it.
pub fn mode_warning(what: &str, file: &Path, mode: u32) -> Option<String> {
    let is_open = mode & 0o007 != 0;
    is_open.then(|| {
        let (file, mode) = (file.display(), mode & 0o777);
        format!(
            "every user can read or replace the {what} {file} (mode {mode:03o}); run `chmod 600` \
             on it"
        )
    })
}

/// Checks that a file contains certificates of certificate authorities.
///
/// # Errors
/// The file contains no certificates, or one of them is not a valid certificate of an authority.
pub fn check_authorities(file: &Path) -> Result<(), TlsError> {
    let mut authorities = RootCertStore::empty();
    let unusable = |error: rustls::Error| TlsError::Unusable(error.to_string());
    // Keeps a byte order mark, because the NATS client does not find a certificate after one.
    parse_certificates(&file_access::read(file, MAX_FILE_BYTES, |_| true)?)?
        .into_iter()
        .try_for_each(|authority| authorities.add(authority).map_err(unusable))
}

fn parse_certificates(text: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(text)
        .collect::<Result<_, _>>()
        .map_err(|error| TlsError::Damaged(error.to_string()))?;
    if certificates.is_empty() {
        Err(TlsError::NoCertificate)
    } else {
        Ok(certificates)
    }
}

/// Returns the text and the mode of a file.
fn read(path: &Path) -> Result<(Vec<u8>, u32), TlsError> {
    let bytes = file_access::read(path, MAX_FILE_BYTES, |_| true)?;
    let mode = file_access::metadata(path)
        .map_err(ReadFileError::Io)?
        .mode();
    Ok((without_mark(&bytes).to_vec(), mode))
}

fn parse_key(text: &[u8]) -> Result<PrivateKeyDer<'static>, TlsError> {
    match PrivateKeyDer::from_pem_slice(text) {
        Ok(key) => Ok(key),
        // `BEGIN ENCRYPTED PRIVATE KEY`, or `Proc-Type: 4,ENCRYPTED` in older files.
        Err(_)
            if text
                .windows(b"ENCRYPTED".len())
                .any(|part| part == b"ENCRYPTED") =>
        {
            Err(TlsError::Encrypted)
        }
        Err(rustls::pki_types::pem::Error::NoItemsFound) => Err(TlsError::NoKey),
        Err(error) => Err(TlsError::Damaged(error.to_string())),
    }
}
