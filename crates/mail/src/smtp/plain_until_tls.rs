use lettre::transport::smtp::client::AsyncTokioStream;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// First byte of a TLS handshake (RFC 8446, 5.1), with which no SMTP command begins.
const HANDSHAKE: u8 = 22;

/// A connection that hands out what it receives byte by byte until TLS begins.
///
/// `lettre` keeps what it read behind the reply to STARTTLS, and takes it for replies of the encrypted server: an attacker
/// on the path could add them to the plain text ("Why TLS Is Better Without STARTTLS", Poddebniak et al., USENIX Security
/// 2021). Byte by byte it reads nothing beyond the line break, and what follows breaks the handshake.
#[derive(Debug)]
pub struct PlainUntilTls {
    stream: TcpStream,
    is_plain: bool,
}

impl PlainUntilTls {
    pub const fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            is_plain: true,
        }
    }
}

impl AsyncTokioStream for PlainUntilTls {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.stream.peer_addr()
    }
}

impl AsyncRead for PlainUntilTls {
    fn poll_read(
        mut self: Pin<&mut Self>,
        ctx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.is_plain {
            return Pin::new(&mut self.stream).poll_read(ctx, buffer);
        }
        let mut one = [0];
        let mut byte = ReadBuf::new(&mut one);
        let read = Pin::new(&mut self.stream).poll_read(ctx, &mut byte);
        buffer.put_slice(byte.filled());
        read
    }
}

impl AsyncWrite for PlainUntilTls {
    fn poll_write(
        mut self: Pin<&mut Self>,
        ctx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.is_plain &= bytes.first() != Some(&HANDSHAKE);
        Pin::new(&mut self.stream).poll_write(ctx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, ctx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(ctx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, ctx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(ctx)
    }
}
