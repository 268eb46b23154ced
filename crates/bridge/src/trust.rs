use crate::SetupError;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::{fs, path::Path, sync::Arc};

#[derive(Debug, Clone)]
pub struct Trust(Arc<RootCertStore>);

impl Default for Trust {
    /// Mozilla's public roots.
    fn default() -> Self {
        Self(Arc::new(RootCertStore {
            roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
        }))
    }
}

impl Trust {
    pub fn with_file(path: &Path) -> Result<Self, SetupError> {
        let text = fs::read(path).map_err(|source| SetupError::File {
            path: path.to_owned(),
            source,
        })?;
        let unusable = |reason: String| SetupError::Certificates {
            path: path.to_owned(),
            reason,
        };
        let Self(roots) = Self::default();
        let mut roots = Arc::unwrap_or_clone(roots);
        let public = roots.len();
        for certificate in CertificateDer::pem_slice_iter(&text) {
            let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
            roots
                .add(certificate)
                .map_err(|error| unusable(error.to_string()))?;
        }
        if roots.len() == public {
            return Err(unusable("there is no CERTIFICATE block in it".to_owned()));
        }
        Ok(Self(Arc::new(roots)))
    }

    pub(crate) fn roots(&self) -> Arc<RootCertStore> {
        Arc::clone(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::{Engine, prelude::BASE64_STANDARD};

    fn authority() -> String {
        let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        let text = BASE64_STANDARD.encode(certificate.der());
        format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
    }

    #[test]
    fn file_roots_are_added_to_the_public_roots() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("authorities.pem");
        fs::write(&path, format!("# ours\n{}{}", authority(), authority())).unwrap();
        let trust = Trust::with_file(&path).unwrap();
        assert_eq!(
            trust.roots().len(),
            webpki_roots::TLS_SERVER_ROOTS.len() + 2
        );
    }

    #[test]
    fn a_file_without_usable_certificates_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("authorities.pem");
        assert!(Trust::with_file(&path).is_err());
        for text in [
            "",
            "no certificate",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\n%%\n-----END CERTIFICATE-----\n",
        ] {
            fs::write(&path, text).unwrap();
            let message = Trust::with_file(&path).unwrap_err().to_string();
            assert!(message.contains("authorities.pem"), "{message}");
        }
    }
}
