//! The tunnel: a Unix socket per server, in a folder only this user may enter; it encrypts, and ends with its storage.

use super::{TlsOptions, certificates};
use crate::opening::OpenError;
use crate::postgres_url::{Parts, Server};
use rustix::net::sockopt;
use rustls::{ClientConfig, pki_types::ServerName};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener as StdUnixListener, UnixStream as Socket};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use std::{fs, io, thread};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional_with_sizes};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::runtime;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tokio_rustls::{TlsConnector, client::TlsStream};

/// `SSLRequest` (protocol-message-formats): the length of the message, and its number.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];
/// libpq's first message is shorter by far.
const MAX_STARTUP_BYTES: usize = 10_000;
const BUFFER: usize = 64 << 10;
/// How long bytes that were sent may stay unacknowledged, as libpq sets it for its own connections (`tcp_user_timeout`).
const TCP_USER_TIMEOUT_MS: u32 = 15_000;

pub struct Tunnel {
    folder: PathBuf,
    servers: Vec<Server>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

struct Route {
    server: Server,
    tls: Arc<ClientConfig>,
    connect_timeout: Duration,
}

impl Tunnel {
    pub fn open(servers: Vec<Server>, wanted: &TlsOptions) -> Result<Self, OpenError> {
        let tls = certificates::client_config(wanted)?;
        let folder = private_folder().map_err(OpenError::Tunnel)?;
        let mut tunnel = Self {
            folder,
            servers,
            stop: None,
            thread: None,
        };
        tunnel
            .start(&tls, wanted.connect_timeout)
            .map_err(OpenError::Tunnel)?;
        Ok(tunnel)
    }

    fn start(&mut self, tls: &Arc<ClientConfig>, connect_timeout: Duration) -> io::Result<()> {
        let mut listeners = Vec::new();
        for (number, server) in (1..).zip(&self.servers) {
            if !server.is_remote() {
                continue;
            }
            let listener = StdUnixListener::bind(self.folder.join(format!(".s.PGSQL.{number}")))?;
            listener.set_nonblocking(true)?;
            let route = Route {
                server: server.clone(),
                tls: Arc::clone(tls),
                connect_timeout,
            };
            listeners.push((listener, Arc::new(route)));
        }
        let (stop, stopped) = oneshot::channel();
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let run = move || runtime.block_on(serve(listeners, stopped));
        let thread = thread::Builder::new().name("postgres-tls".to_owned());
        self.thread = Some(thread.spawn(run)?);
        self.stop = Some(stop);
        Ok(())
    }

    /// Points the URL at the sockets instead of the servers.
    pub fn redirect_url(&self, url: &mut Parts) {
        let folder = self.folder.to_string_lossy();
        let (mut hosts, mut ports) = (Vec::new(), Vec::new());
        for (number, server) in (1..).zip(&self.servers) {
            let (host, port) = if server.is_remote() {
                (&*folder, number)
            } else {
                (&*server.address, server.port)
            };
            hosts.push(host);
            ports.push(port.to_string());
        }
        url.clear_hosts();
        url.remove(|it| it == "hostaddr");
        url.set("host", &hosts.join(","));
        url.set("port", &ports.join(","));
    }

    /// Replaces the sockets in libpq's message by the servers' names.
    pub fn restore_server_names(&self, message: &str) -> String {
        let mut message = message.to_owned();
        for (number, server) in (1..).zip(&self.servers) {
            let socket = self.folder.join(format!(".s.PGSQL.{number}"));
            let socket = format!("server on socket \"{}\"", socket.display());
            message = message.replace(&socket, &format!("server at {server} over TLS"));
        }
        message
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

const FOLDER_PREFIX: &str = "sightline-tls-";
/// Younger folders may belong to a tunnel that is being opened.
const MIN_STALE_AGE: Duration = Duration::from_mins(1);

fn folders(beginning: &str) -> Vec<PathBuf> {
    let all = fs::read_dir(std::env::temp_dir()).into_iter().flatten();
    let names = all.flatten().map(|it| it.path());
    let is_one = |it: &PathBuf| {
        let name = it.file_name().and_then(|it| it.to_str());
        name.is_some_and(|it| it.starts_with(beginning))
    };
    names.filter(is_one).collect()
}

/// Removes the folders of this process's tunnels: connections that are still in use at its end keep them.
pub fn remove_folders() {
    for folder in folders(&format!("{FOLDER_PREFIX}{}-", std::process::id())) {
        let _ = fs::remove_dir_all(folder);
    }
}

/// Removes what killed processes left: folders of sockets without a listener.
fn remove_stale_folders() {
    for folder in folders(FOLDER_PREFIX) {
        let process = { folder.to_str() }.and_then(|it| it.rsplit('-').nth(1));
        if process.is_none_or(|it| Path::new("/proc").join(it).exists()) {
            continue;
        }
        let made = fs::metadata(&folder).and_then(|it| it.modified());
        let age = made.ok().and_then(|it| it.elapsed().ok());
        if age.is_none_or(|it| it < MIN_STALE_AGE) {
            continue;
        }
        let mut sockets = fs::read_dir(&folder).into_iter().flatten().flatten();
        let is_served = sockets.any(|it| Socket::connect(it.path()).is_ok());
        if !is_served {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

/// Makes a folder that no other user may enter.
fn private_folder() -> io::Result<PathBuf> {
    remove_stale_folders();
    let (place, process) = (std::env::temp_dir(), std::process::id());
    let names = (1..1_000).map(|number| place.join(format!("{FOLDER_PREFIX}{process}-{number}")));
    for folder in names {
        match fs::DirBuilder::new().mode(0o700).create(&folder) {
            // Of another tunnel, or of a process of that number that was killed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| folder),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Runs until the tunnel is dropped.
async fn serve(listeners: Vec<(StdUnixListener, Arc<Route>)>, stopped: oneshot::Receiver<()>) {
    for (listener, route) in listeners {
        match UnixListener::from_std(listener) {
            Ok(listener) => drop(tokio::spawn(accept_connections(listener, route))),
            Err(error) => tracing::error!(%error, "the tunnel to PostgreSQL could not be opened"),
        }
    }
    let _ = stopped.await;
}

async fn accept_connections(listener: UnixListener, route: Arc<Route>) {
    loop {
        match listener.accept().await {
            Ok((client, _)) => drop(tokio::spawn(forward(client, Arc::clone(&route)))),
            Err(error) => {
                tracing::warn!(%error, "the tunnel to PostgreSQL takes no connection");
                sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn forward(mut client: UnixStream, route: Arc<Route>) {
    let Ok(opening) = read_startup_message(&mut client).await else {
        return;
    };
    let begun = timeout(route.connect_timeout, open_upstream(&opening, &route)).await;
    let begun = begun.unwrap_or_else(|_| Err("it did not answer in time".to_owned()));
    match begun {
        Ok((answer, mut upstream)) => {
            if client.write_all(&answer).await.is_ok() {
                // libpq reports how it ends.
                let _ =
                    copy_bidirectional_with_sizes(&mut client, &mut upstream, BUFFER, BUFFER).await;
            }
        }
        Err(reason) => {
            let message = format!("PostgreSQL at {} over TLS: {reason}", route.server);
            let _ = client.write_all(&error_response(&message)).await;
        }
    }
}

/// libpq's first message: its length, which counts itself, and the rest.
async fn read_startup_message(client: &mut UnixStream) -> io::Result<Vec<u8>> {
    let length = client.read_u32().await?;
    let rest = usize::try_from(length)
        .unwrap_or(MAX_STARTUP_BYTES)
        .saturating_sub(4);
    if rest > MAX_STARTUP_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut message = length.to_be_bytes().to_vec();
    message.resize(4 + rest, 0);
    client.read_exact(&mut message[4..]).await?;
    Ok(message)
}

/// Connects and sends libpq's first message; returns the beginning of the answer, or what failed. In TLS 1.3, a refusal
/// of the client's certificate comes in place of the answer.
async fn open_upstream(
    opening: &[u8],
    route: &Route,
) -> Result<(Vec<u8>, TlsStream<TcpStream>), String> {
    let server = &route.server;
    let connected = TcpStream::connect((&*server.address, server.port)).await;
    let mut plain = connected.map_err(|error| error.to_string())?;
    let configured = configure_socket(&plain).map_err(|error| error.to_string());
    configured?;
    let mut answer = [0];
    let sent = plain.write_all(&SSL_REQUEST).await;
    let read = match sent {
        Ok(()) => plain.read_exact(&mut answer).await.map(drop),
        Err(error) => Err(error),
    };
    read.map_err(|error| format!("it hung up when it was asked for TLS ({error})"))?;
    if answer != *b"S" {
        return Err("it does not offer TLS: switch it on there (ssl = on), or use sslmode=disable where nobody can read along".to_owned());
    }
    let name = ServerName::try_from(server.name.clone());
    let name = name.map_err(|error| error.to_string())?;
    let connector = TlsConnector::from(Arc::clone(&route.tls));
    let handshake = connector.connect(name, plain).await;
    let mut upstream = handshake.map_err(|error| certificates::describe_error(&error))?;
    let mut first = vec![0; BUFFER];
    let sent = upstream.write_all(opening).await;
    let read = match sent {
        Ok(()) => upstream.read(&mut first).await,
        Err(error) => Err(error),
    };
    let mut length = read.map_err(|error| certificates::describe_error(&error))?;
    loop {
        if let Some(answer) = without_channel_binding(&first[..length]) {
            return Ok((answer, upstream));
        }
        let more = upstream.read(&mut first[length..]).await;
        let more = more.map_err(|error| certificates::describe_error(&error))?;
        if more == 0 {
            return Ok((first[..length].to_vec(), upstream));
        }
        length += more;
    }
}

/// Removes the offer of channel binding (`AuthenticationSASL` with `SCRAM-SHA-256-PLUS`) from a server's first
/// messages: libpq, which sees no TLS, would suspect a downgrade. `None` while the message is incomplete.
fn without_channel_binding(messages: &[u8]) -> Option<Vec<u8>> {
    const SASL: [u8; 4] = [0, 0, 0, 10];
    const BOUND: &[u8] = b"SCRAM-SHA-256-PLUS";
    // Empty where the server closed the connection; else too short to have a length.
    let (Some(kind), Some(length)) = (messages.first(), messages.get(1..5)) else {
        return messages.is_empty().then(Vec::new);
    };
    let length = u32::from_be_bytes(length.try_into().ok()?);
    let end = usize::try_from(length).ok()?.saturating_add(1);
    if end > MAX_STARTUP_BYTES {
        return Some(messages.to_vec());
    }
    let (message, rest) = messages.split_at_checked(end)?;
    let Some(names) = message.get(5..).and_then(|it| it.strip_prefix(&SASL)) else {
        return Some(messages.to_vec());
    };
    if *kind != b'R' {
        return Some(messages.to_vec());
    }
    let kept = names
        .split(|it| *it == 0)
        .filter(|it| !it.is_empty() && *it != BOUND);
    let mut body = SASL.to_vec();
    for name in kept {
        body.extend(name);
        body.push(0);
    }
    body.push(0);
    let mut filtered = vec![b'R'];
    filtered.extend(u32::try_from(body.len() + 4).ok()?.to_be_bytes());
    filtered.extend(body);
    filtered.extend(rest);
    Some(filtered)
}

/// Detects a dead peer in seconds, and sends at once.
fn configure_socket(plain: &TcpStream) -> io::Result<()> {
    plain.set_nodelay(true)?;
    sockopt::set_socket_keepalive(plain, true)?;
    #[cfg(target_os = "linux")]
    sockopt::set_tcp_user_timeout(plain, TCP_USER_TIMEOUT_MS)?;
    Ok(())
}

/// An error as a server sends it (protocol-message-formats, `ErrorResponse`): fields with a letter before and a zero
/// after each, 08001 being `sqlclient_unable_to_establish_sqlconnection`.
fn error_response(reason: &str) -> Vec<u8> {
    let mut fields = Vec::new();
    for (letter, text) in [
        (b'S', "FATAL"),
        (b'V', "FATAL"),
        (b'C', "08001"),
        (b'M', reason),
    ] {
        fields.push(letter);
        fields.extend(text.bytes().filter(|it| *it != 0));
        fields.push(0);
    }
    fields.push(0);
    let length = u32::try_from(fields.len() + 4).unwrap_or(u32::MAX);
    let mut message = vec![b'E'];
    message.extend(length.to_be_bytes());
    message.extend(fields);
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn sockets_live_in_a_private_folder_removed_with_the_tunnel() {
        let mut parts = Parts::of("postgres://ann@db/d?sslmode=require");
        let wanted = TlsOptions::from_url(&parts).unwrap().unwrap();
        let tunnel = Tunnel::open(parts.servers(), &wanted).unwrap();
        let folder = tunnel.folder.clone();
        let mode = fs::metadata(&folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        tunnel.redirect_url(&mut parts);
        assert_eq!(parts.option("host"), Some(folder.display().to_string()));
        let socket = folder.join(".s.PGSQL.1");
        assert!(socket.exists());
        let message = format!(
            "connection to server on socket \"{}\" failed",
            socket.display()
        );
        assert_eq!(
            tunnel.restore_server_names(&message),
            "connection to server at db:5432 over TLS failed"
        );
        drop(tunnel);
        assert!(!folder.exists());
    }

    #[test]
    fn channel_binding_is_removed_from_the_sasl_offer() {
        let offered = b"R\0\0\0\x2a\0\0\0\x0aSCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0";
        let plain = b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0";
        let read = |bytes: &[u8]| without_channel_binding(bytes);
        assert_eq!(read(offered).as_deref(), Some(plain.as_slice()));
        assert_eq!(read(plain).as_deref(), Some(plain.as_slice()));
        for end in 1..offered.len() {
            assert_eq!(read(&offered[..end]), None, "{end} bytes are not whole");
        }
        let trusted = b"R\0\0\0\x08\0\0\0\0S\0\0\0\x09a\0b\0\0";
        assert_eq!(read(trusted).as_deref(), Some(trusted.as_slice()));
        let error = b"E\0\0\0\x06S\0";
        assert_eq!(read(error).as_deref(), Some(error.as_slice()));
        assert_eq!(read(b"").as_deref(), Some(b"".as_slice()));
    }

    #[test]
    fn an_error_is_encoded_as_an_error_response() {
        assert_eq!(
            error_response("no\0pe"),
            b"E\0\0\0\x20SFATAL\0VFATAL\0C08001\0Mnope\0\0"
        );
    }
}
