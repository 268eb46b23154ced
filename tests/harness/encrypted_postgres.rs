//! A `PostgreSQL` server and a pgbouncer that accept only TLS over TCP, with certificates of a temporary authority.

use crate::postgres_server::{Lane, PostgresServer};
use base64::{Engine, prelude::BASE64_STANDARD};
use diesel::{Connection, PgConnection};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::{Path, PathBuf},
    process::{self, Command},
    sync::atomic::{AtomicU8, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The host name in the server's certificate; it does not resolve, so URLs also name an address.
pub const NAME: &str = "db.example.com";
/// The password of the role `secret`.
pub const PASSWORD: &str = "a-secret";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerCertificate {
    /// Signed by the authority, for [`NAME`].
    Good,
    /// The same, but expired.
    Expired,
    /// Self-signed, as by `openssl req -x509`.
    OwnAuthority,
}

pub struct EncryptedPostgres {
    server: PostgresServer,
    address: String,
    authority: CertifiedIssuer<'static, KeyPair>,
}

static NEXT: AtomicU8 = AtomicU8::new(1);

impl EncryptedPostgres {
    /// Starts it with an empty database `sightline`. Roles: `sightline` is trusted, `secret` has a password,
    /// `certified` needs a client certificate.
    #[must_use]
    pub fn start() -> Self {
        // Each server has its own loopback address, so that ports do not clash.
        let [high, low, ..] = process::id().to_le_bytes();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let address = format!("127.{}.{low}.{number}", high.max(1));
        let mut params = CertificateParams::new(Vec::new()).expect("an authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let authority = CertifiedIssuer::self_signed(params, key).expect("an authority");
        let prepare = |folder: &Path| {
            write(
                folder,
                "authority.pem",
                &pem("CERTIFICATE", authority.der()),
            );
            let (other, _) = self_signed();
            write(folder, "other.pem", &other);
            let (certificate, key) = sign_certificate(&authority, ServerCertificate::Good, NAME);
            write(folder, "server.crt", &certificate);
            write(folder, "server.key", &key);
            let (certificate, key) =
                sign_certificate(&authority, ServerCertificate::Good, "certified");
            write(folder, "client.crt", &certificate);
            write(folder, "client.key", &key);
            write(folder, "hba", HBA);
            write(folder, "pgbouncer.ini", &pgbouncer_config(folder, &address));
        };
        let options = "-c listen_addresses=ADDRESS -c ssl=on -c ssl_cert_file=FOLDER/server.crt -c ssl_key_file=FOLDER/server.key -c ssl_ca_file=FOLDER/authority.pem -c hba_file=FOLDER/hba";
        let options = options.replace("ADDRESS", &address);
        let server = PostgresServer::start_with(Lane::Pgbouncer, &options, prepare);
        server.execute("CREATE DATABASE sightline OWNER sightline");
        server.execute(&format!(
            "CREATE ROLE secret LOGIN PASSWORD '{PASSWORD}' IN ROLE sightline; CREATE ROLE certified LOGIN IN ROLE sightline"
        ));
        Self {
            server,
            address,
            authority,
        }
    }

    /// The database's URL with these TLS options.
    #[must_use]
    pub fn url(&self, options: &str) -> String {
        self.url_as("sightline", options)
    }

    /// The same for another role.
    #[must_use]
    pub fn url_as(&self, user: &str, options: &str) -> String {
        let address = &self.address;
        format!("postgres://{user}@{NAME}/sightline?hostaddr={address}&{options}")
    }

    /// The URL via pgbouncer, which uses TLS on both sides.
    #[must_use]
    pub fn pooled_url(&self, options: &str) -> String {
        let address = &self.address;
        format!("postgres://sightline@{NAME}:6432/sightline?hostaddr={address}&{options}")
    }

    /// `authority.pem`, `other.pem`, `client.crt` or `client.key`.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.server.folder().join(name)
    }

    #[must_use]
    pub fn root_certificate_option(&self) -> String {
        format!("sslrootcert={}", self.file("authority.pem").display())
    }

    pub fn use_certificate(&self, shown: ServerCertificate) {
        let (certificate, key) = match shown {
            ServerCertificate::OwnAuthority => self_signed(),
            _ => sign_certificate(&self.authority, shown, NAME),
        };
        let folder = self.server.folder();
        write(&folder, "server.crt", &certificate);
        write(&folder, "server.key", &key);
        self.server.execute("SELECT pg_reload_conf()");
    }

    /// Makes pgbouncer ignore unknown connection options instead of refusing them.
    pub fn ignore_options(&self) {
        let folder = self.server.folder();
        let settings = folder.join("pgbouncer.ini");
        let text = fs::read_to_string(&settings).expect("settings");
        fs::write(&settings, text + "ignore_startup_parameters = options\n").expect("settings");
        let pid = fs::read_to_string(folder.join("pgbouncer.pid")).expect("a pid");
        let status = Command::new("kill").args(["-HUP", pid.trim()]).status();
        assert!(status.expect("kill").success());
        let place = format!(
            "postgres://sightline@/sightline?host={}/pooled&port=6432&options=-csightline.direct%3Don",
            folder.display()
        );
        let begun = Instant::now();
        while PgConnection::establish(&place).is_err() {
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "it refuses options"
            );
            thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn create_database(&self, name: &str) {
        self.server
            .execute(&format!("CREATE DATABASE {name} OWNER sightline"));
    }

    pub const fn server(&mut self) -> &mut PostgresServer {
        &mut self.server
    }
}

/// The socket is trusted; TCP needs TLS.
const HBA: &str = "local all all trust
hostssl all secret 127.0.0.0/8 scram-sha-256
hostssl all certified 127.0.0.0/8 cert
hostssl all all 127.0.0.0/8 trust
";

fn pgbouncer_config(folder: &Path, address: &str) -> String {
    let folder = folder.display();
    format!(
        "[databases]
* = host={address}
[pgbouncer]
listen_addr = {address}
unix_socket_dir = {folder}/pooled
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
client_tls_sslmode = require
client_tls_cert_file = {folder}/server.crt
client_tls_key_file = {folder}/server.key
server_tls_sslmode = require
logfile = {folder}/pgbouncer.log
pidfile = {folder}/pgbouncer.pid
"
    )
}

fn sign_certificate(
    authority: &CertifiedIssuer<'static, KeyPair>,
    shown: ServerCertificate,
    name: &str,
) -> (String, String) {
    let mut params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
    params.distinguished_name.push(DnType::CommonName, name);
    if shown == ServerCertificate::Expired {
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
    }
    let key = KeyPair::generate().expect("a key");
    let certificate = params.signed_by(&key, authority).expect("a certificate");
    let key = pem("PRIVATE KEY", &key.serialize_der());
    (pem("CERTIFICATE", certificate.der()), key)
}

fn self_signed() -> (String, String) {
    let mut params = CertificateParams::new(vec![NAME.to_owned()]).expect("a name");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let certificate = params.self_signed(&key).expect("a certificate");
    let key = pem("PRIVATE KEY", &key.serialize_der());
    (pem("CERTIFICATE", certificate.der()), key)
}

fn pem(label: &str, bytes: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(bytes);
    let lines: Vec<_> = { text.as_bytes().chunks(64) }
        .map(String::from_utf8_lossy)
        .collect();
    let lines = lines.join("\n");
    format!("-----BEGIN {label}-----\n{lines}\n-----END {label}-----\n")
}

/// The server refuses a key that others may read.
fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    let owner = fs::metadata(folder).expect("the folder");
    chown(&path, Some(owner.uid()), Some(owner.gid())).expect("a file of the server's");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a private file");
}
