use super::{Check, TlsOptions};
use crate::opening::OpenError;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, OtherError, RootCertStore,
    SignatureScheme,
};
use std::{fs, io, path::Path, sync::Arc};

pub fn client_config(wanted: &TlsOptions) -> Result<Arc<ClientConfig>, OpenError> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let verifier = match wanted.check {
        Check::Nothing => None,
        _ => Some(authorities(wanted, &provider)?),
    };
    let checks = Arc::new(CertificateVerifier {
        verifier,
        is_name_checked: wanted.check == Check::AuthorityAndName,
        provider: Arc::clone(&provider),
    });
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| OpenError::Certificates {
            path: "the TLS library".into(),
            reason: error.to_string(),
        })?
        .dangerous()
        .with_custom_certificate_verifier(checks);
    let Some((certificate, key)) = &wanted.client else {
        return Ok(Arc::new(config.with_no_client_auth()));
    };
    let chain = certificates(certificate)?;
    let of_key = |reason: String| OpenError::Certificates {
        path: key.clone(),
        reason,
    };
    let text = read(key)?;
    let loaded = PrivateKeyDer::from_pem_slice(&text)
        .map_err(|_| of_key("there is no unencrypted PRIVATE KEY block in it".to_owned()))?;
    let config = config.with_client_auth_cert(chain, loaded);
    config.map(Arc::new).map_err(|error| {
        of_key(format!(
            "it does not fit {}: {error}",
            certificate.display()
        ))
    })
}

fn authorities(
    wanted: &TlsOptions,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, OpenError> {
    let mut roots = RootCertStore::empty();
    let (path, found) = if let Some(path) = &wanted.authorities {
        (path.clone(), certificates(path)?)
    } else {
        let of_machine = rustls_native_certs::load_native_certs();
        ("the authorities of this machine".into(), of_machine.certs)
    };
    roots.add_parsable_certificates(found);
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .build()
        .map_err(|error| OpenError::Certificates {
            path,
            reason: format!("{error}: name a PEM file of authorities in sslrootcert"),
        })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, OpenError> {
    let unusable = |reason: String| OpenError::Certificates {
        path: path.to_owned(),
        reason,
    };
    let text = read(path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.map_err(|error| unusable(error.to_string()))?;
    if found.is_empty() {
        return Err(unusable("there is no CERTIFICATE block in it".to_owned()));
    }
    Ok(found)
}

fn read(path: &Path) -> Result<Vec<u8>, OpenError> {
    fs::read(path).map_err(|error| OpenError::Certificates {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

#[derive(Debug)]
struct CertificateVerifier {
    /// `None` where the certificate is not checked.
    verifier: Option<Arc<WebPkiServerVerifier>>,
    is_name_checked: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for CertificateVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(verifier) = &self.verifier else {
            return Ok(ServerCertVerified::assertion());
        };
        let checked = verifier.verify_server_cert(end_entity, intermediates, name, ocsp, now);
        // The name is checked last.
        match checked {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.is_name_checked => Ok(ServerCertVerified::assertion()),
            outcome => outcome,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let known = &self.provider.signature_verification_algorithms;
        known.supported_schemes()
    }
}

pub fn describe_error(error: &io::Error) -> String {
    let cause = error.get_ref().and_then(|it| it.downcast_ref::<Error>());
    match cause {
        Some(Error::InvalidCertificate(fault)) => {
            format!(
                "its certificate is refused: {}",
                describe_certificate_error(fault)
            )
        }
        Some(Error::AlertReceived(alert)) => format!(
            "it refuses this client ({alert:?}): it may want a certificate (sslcert and sslkey), or another one"
        ),
        _ if error.kind() == io::ErrorKind::UnexpectedEof => {
            "it hung up while TLS was negotiated".to_owned()
        }
        _ => error.to_string(),
    }
}

fn describe_certificate_error(fault: &CertificateError) -> String {
    match fault {
        // The signature is wrong where an unknown authority has the name of a trusted one.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "no authority that is trusted signed it; name the PEM file of the one that did in sslrootcert".to_owned()
        }
        CertificateError::NotValidForNameContext { expected, presented } => format!(
            "it is not for {}, but for {}; use that name as the host, or sslmode=verify-ca",
            expected.to_str(),
            if presented.is_empty() { "no name".to_owned() } else { presented.join(", ") },
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "it has expired; renew it, or set the clock of this machine right".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet; set the clock of this machine right".to_owned()
        }
        CertificateError::Other(OtherError(other)) if other.to_string().contains("CaUsedAsEndEntity") => {
            "it is marked as an authority's (CA:TRUE), which no server's may be; sign one for the server with it, or create a new one with `openssl req -x509 … -addext basicConstraints=critical,CA:FALSE`".to_owned()
        }
        other => other.to_string(),
    }
}
