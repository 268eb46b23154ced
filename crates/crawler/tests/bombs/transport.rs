//! Hostile transfers: compression bombs, slow and endless responses.

use crate::{
    fault_server::{Act, FaultServer, answer, html, not_found, redirect},
    trial::{one_by_one, page, place, together},
};
use flate2::{
    Compression,
    write::{DeflateEncoder, GzEncoder, ZlibEncoder},
};
use std::{io::Write, time::Duration};

const HTML: &str = "Content-Type: text/html\r\n";
const MIB: usize = 1024 * 1024;
/// Pause between bytes: ten bytes per second.
const DRIP: Duration = Duration::from_millis(100);

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn encoded(as_what: &str, body: &[u8]) -> Act {
    answer(200, &format!("{HTML}Content-Encoding: {as_what}\r\n"), body)
}

#[tokio::test(flavor = "multi_thread")]
async fn decompression_bombs() {
    let spaces = vec![b' '; 200 * MIB];
    let bomb = gzip(&spaces);
    let zlib = {
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&spaces).unwrap();
        packer.finish().unwrap()
    };
    let bare = {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&spaces).unwrap();
        packer.finish().unwrap()
    };
    let members = gzip(&spaces[..MIB]).repeat(500);
    // Compressed 99 times, so that the ratio alone would let it through.
    let line: Vec<String> = (0..3_000).map(|it| format!("<p>{}", it * 7_919)).collect();
    let line = line.concat();
    let just_so = gzip(line.repeat(4_000).as_bytes());
    let bombs = vec![
        page(
            "gzip, 200 MiB of spaces",
            encoded("gzip", &bomb),
            "decompressionBomb",
        ),
        page(
            "zlib, 200 MiB of spaces",
            encoded("deflate", &zlib),
            "decompressionBomb",
        ),
        page(
            "deflate, 200 MiB of spaces",
            encoded("deflate", &bare),
            "decompressionBomb",
        ),
        page(
            "gzip, 500 members of 1 MiB",
            encoded("gzip", &members),
            "decompressionBomb",
        ),
        page(
            "gzip in gzip in gzip",
            encoded("gzip", &gzip(&gzip(&bomb))),
            "page, ",
        ),
        page(
            "two layers of gzip by the header",
            encoded("gzip, gzip", &gzip(&bomb)),
            "contentEncoding",
        ),
        page(
            "brotli that nobody asked for",
            encoded("br", &bomb),
            "contentEncoding",
        ),
        page(
            "zstd that nobody asked for",
            encoded("zstd", &bomb),
            "contentEncoding",
        ),
        page(
            "gzip of text that repeats itself",
            encoded("gzip", &just_so),
            "",
        ),
        place(
            "sitemap of 200 MiB in gzip",
            "/sitemap.xml",
            answer(200, "", &bomb),
            "sitemap with 0 pages",
        ),
        place(
            "robots.txt of 200 MiB in gzip",
            "/robots.txt",
            encoded("gzip", &bomb),
            "",
        ),
    ];
    one_by_one(bombs).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: reads to the limits"]
async fn endless_responses() {
    let head = |more: &str| format!("HTTP/1.1 200 X\r\n{HTML}{more}\r\n").into_bytes();
    let chunked = head("Transfer-Encoding: chunked\r\n");
    let bombs = vec![
        page(
            "body without end",
            Act::Forever(head(""), b"<p>more text ".repeat(2_000)),
            "page, cut",
        ),
        page(
            "chunks of one byte without end",
            Act::Forever(chunked.clone(), b"1\r\nx\r\n".repeat(2_000)),
            "",
        ),
        page(
            "chunk of 2^60 bytes",
            Act::Forever(
                [chunked.as_slice(), b"1000000000000000\r\n"].concat(),
                vec![b'x'; MIB],
            ),
            "page, cut",
        ),
        page(
            "chunk extension without end",
            Act::Forever([chunked.as_slice(), b"1;a="].concat(), vec![b'x'; MIB]),
            "bodyIncomplete",
        ),
        page(
            "headers without end",
            Act::Forever(
                b"HTTP/1.1 200 X\r\n".to_vec(),
                b"X-More: and more\r\n".repeat(1_000),
            ),
            "",
        ),
        page(
            "one header without end",
            Act::Forever(b"HTTP/1.1 200 X\r\nX-More: ".to_vec(), vec![b'x'; MIB]),
            "",
        ),
        page(
            "answers 103 without end",
            Act::Forever(
                Vec::new(),
                b"HTTP/1.1 103 X\r\nLink: </a>; rel=preload\r\n\r\n".repeat(100),
            ),
            "",
        ),
        place(
            "robots.txt without end",
            "/robots.txt",
            Act::Forever(
                b"HTTP/1.1 200 X\r\n\r\n".to_vec(),
                b"User-agent: *\nDisallow: /secret*x*y*z$\n".repeat(1_000),
            ),
            "robots.txt of",
        ),
        place(
            "sitemap without end",
            "/sitemap.xml",
            Act::Forever(
                b"HTTP/1.1 200 X\r\n\r\n<urlset>".to_vec(),
                b"<url><loc>/a</loc></url>".repeat(1_000),
            ),
            "sitemap with",
        ),
        place(
            "llms.txt without end",
            "/llms.txt",
            Act::Forever(
                b"HTTP/1.1 200 X\r\nContent-Type: text/plain\r\n\r\n# A\n".to_vec(),
                b"- [a](/bomb): text\n".repeat(1_000),
            ),
            "page",
        ),
    ];
    one_by_one(bombs).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: waits until sites have taken too long"]
async fn slow_responses() {
    let head = format!("HTTP/1.1 200 X\r\n{HTML}Content-Length: 100000\r\n\r\n");
    let drip = |text: &str| Act::Drip(text.repeat(1_000).into_bytes(), DRIP);
    let body = || Act::Drip([head.as_bytes(), &[b'x'; 10_000]].concat(), DRIP);
    // Above the minimum rate, but endless.
    let fast_enough = Act::Drip(
        [head.as_bytes(), &b"x".repeat(100_000)].concat(),
        Duration::from_micros(300),
    );
    let slowly_elsewhere = |to: &str| {
        let text = format!(
            "HTTP/1.1 302 X\r\nLocation: {to}\r\nConnection: close\r\nContent-Length: 0\r\nX: {}\r\n\r\n",
            "x".repeat(60)
        );
        Act::Drip(text.into_bytes(), Duration::from_millis(60))
    };
    let mut redirects = page("redirects that take 7 s each", slowly_elsewhere("/1"), "");
    for number in 1..12 {
        redirects = redirects.with(
            &format!("/{number}"),
            slowly_elsewhere(&format!("/{}", number + 1)),
        );
    }
    // Each redirects to another origin with a slow robots.txt.
    let mut servers: Vec<FaultServer> = Vec::new();
    for _ in 0..6 {
        let next = servers
            .last()
            .map_or("/end".to_owned(), |it| it.url("/next"));
        let site = [
            (
                "/robots.txt".to_owned(),
                Act::Drip(
                    b"HTTP/1.1 404 X\r\nConnection: close\r\nContent-Length: 0\r\nX: yyy\r\n\r\n"
                        .to_vec(),
                    DRIP,
                ),
            ),
            ("/next".to_owned(), redirect(302, &next)),
        ];
        servers.push(FaultServer::start(site.into(), |_| not_found()).await);
    }
    let elsewhere = redirect(302, &servers.last().unwrap().url("/next"));
    let silent = || Act::Sequence(vec![Act::Silence]);
    let busy = answer(503, "Retry-After: 12\r\n", "");
    let bombs = vec![
        page("silence", silent(), "noAnswer"),
        page(
            "headers drop by drop",
            drip("HTTP/1.1 200 X\r\nX-More: "),
            "noAnswer",
        ),
        page("body drop by drop", body(), "bodyTooSlow"),
        page("body just fast enough", fast_enough, ""),
        redirects,
        page("redirects to origins with slow robots.txt", elsewhere, ""),
        page("busy, back in 12 s", busy, "Some(503)"),
        place(
            "robots.txt drop by drop",
            "/robots.txt",
            body(),
            "RobotsUnavailable",
        ),
        place(
            "robots.txt that never comes",
            "/robots.txt",
            silent(),
            "RobotsUnavailable",
        ),
        place(
            "sitemap drop by drop",
            "/sitemap.xml",
            body(),
            "sitemap with 0 pages",
        ),
        place("start page drop by drop", "/", body(), "NoPage"),
        place("llms.txt drop by drop", "/llms.txt", body(), "page"),
        page(
            "answers 103 drop by drop",
            drip("HTTP/1.1 103 X\r\n\r\n"),
            "noAnswer",
        ),
        page("connection that breaks off", Act::Reset, "connectionBroke"),
        page("harmless", html("<p>fine"), "page, 0 links"),
    ];
    together(bombs).await;
}
