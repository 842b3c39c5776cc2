//! Refused by the server itself: bytes, headers, encodings, sizes.

use super::{Row, check};
use crate::support::{ServerProcess, request, send};

const OK: &[u8] = br#"{"messages":[{"role":"user","content":"hi"}],"target":"openai"}"#;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// A gzip stream of `mib` MiB of zeros, a thousandth of that in size.
fn gzip_bomb(mib: usize) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let block = vec![b' '; 1 << 20];
    for _ in 0..mib {
        std::io::Write::write_all(&mut encoder, &block).expect("memory");
    }
    encoder.finish().expect("memory")
}

fn zstd_bomb(mib: usize) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
    let block = vec![b' '; 1 << 20];
    for _ in 0..mib {
        std::io::Write::write_all(&mut encoder, &block).expect("memory");
    }
    encoder.finish().expect("memory")
}

/// A small frame whose decoder must hold 128 MiB.
fn wide_zstd() -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
    encoder.window_log(27).expect("a window");
    std::io::Write::write_all(&mut encoder, OK).expect("memory");
    encoder.finish().expect("memory")
}

#[rustfmt::skip]
fn encodings() -> Vec<Row> {
    let packed = gzip(OK);
    let half = &packed[..packed.len() / 2];
    let zstd = zstd::encode_all(OK, 1).expect("memory");
    let post = Row::post;
    vec![
        post("gzip that is none", &[("content-encoding", "gzip")], OK, 400, "invalid_encoding"),
        post("gzip cut in half", &[("content-encoding", "gzip")], half, 400, "invalid_encoding"),
        post("gzip that is zstd", &[("content-encoding", "gzip")], &zstd, 400, "invalid_encoding"),
        post("zstd that is none", &[("content-encoding", "zstd")], OK, 400, "invalid_encoding"),
        post("zstd with a window of 128 MiB", &[("content-encoding", "zstd")], &wide_zstd(), 400, "invalid_encoding"),
        post("a zstd frame with a window of 128 MiB after a good one", &[("content-encoding", "zstd")], &[&zstd[..], &wide_zstd()].concat(), 400, "invalid_encoding"),
        post("a zstd frame with a window of 128 MiB after one to skip", &[("content-encoding", "zstd")], &[b"\x50\x2a\x4d\x18\x03\0\0\0abc", &wide_zstd()[..]].concat(), 400, "invalid_encoding"),
        post("zstd with something after it", &[("content-encoding", "zstd")], &[&zstd[..], b"more"].concat(), 400, "invalid_encoding"),
        post("zstd cut in half", &[("content-encoding", "zstd")], &zstd[..zstd.len() / 2], 400, "invalid_encoding"),
        post("brotli", &[("content-encoding", "br")], OK, 415, "unsupported_encoding"),
        post("deflate", &[("content-encoding", "deflate")], OK, 415, "unsupported_encoding"),
        post("two encodings in one header", &[("content-encoding", "gzip, gzip")], &packed, 415, "unsupported_encoding"),
        post("two encoding headers", &[("content-encoding", "gzip"), ("content-encoding", "gzip")], &packed, 415, "unsupported_encoding"),
        post("an invented encoding", &[("content-encoding", "rot13")], OK, 415, "unsupported_encoding"),
        post("an empty encoding", &[("content-encoding", "")], OK, 415, "unsupported_encoding"),
        post("gzip bomb of 256 MiB", &[("content-encoding", "gzip")], &gzip_bomb(256), 413, "body_too_large"),
        post("zstd bomb of 256 MiB", &[("content-encoding", "zstd")], &zstd_bomb(256), 413, "body_too_large"),
        post("gzip of not UTF-8", &[("content-encoding", "gzip")], &gzip(b"\"\xff\""), 400, "invalid_json"),
    ]
}

#[rustfmt::skip]
fn types() -> Vec<Row> {
    let typed = |name: &str, value: &str| {
        Row::post(name, &[("content-type", value)], OK, 415, "unsupported_media_type")
    };
    vec![
        typed("plain text", "text/plain"),
        typed("a form", "application/x-www-form-urlencoded"),
        typed("a multipart form", "multipart/form-data; boundary=x"),
        typed("XML", "application/xml"),
        typed("JSON in UTF-16", "application/json; charset=utf-16"),
        typed("JSON in Latin 1", "application/json; charset=iso-8859-1"),
        typed("a word", "json"),
        typed("an empty type", ""),
        typed("lines of JSON", "application/x-ndjson"),
    ]
}

#[rustfmt::skip]
fn bytes() -> Vec<Row> {
    let plain = |name: &str, body: &[u8]| Row::post(name, &[], body, 400, "invalid_json");
    vec![
        plain("not UTF-8 in a string", b"{\"messages\":[{\"role\":\"user\",\"content\":\"\xff\xfe\"}]}"),
        plain("an overlong NUL", b"\"\xc0\x80\""),
        plain("a surrogate in UTF-8", b"\"\xed\xa0\x80\""),
        plain("half a character at the end", b"\"\xe2\x82"),
        plain("UTF-16 with its mark", b"\xff\xfe{\0}\0"),
        plain("an image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    ]
}

#[rustfmt::skip]
fn requests() -> Vec<Row> {
    let head = |text: &str| format!("{text}\r\nhost: localhost\r\nconnection: close\r\n\r\n").into_bytes();
    let post = |more: &str| {
        format!("POST /compile HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n{more}\r\n").into_bytes()
    };
    let long = "a".repeat(300_000);
    let many = "x: y\r\n".repeat(200);
    let raw = Row::raw;
    vec![
        raw("GET of a POST path", request("GET", "/compile", &[], b""), 405, "method_not_allowed"),
        raw("DELETE", request("DELETE", "/tokens", &[], b""), 405, "method_not_allowed"),
        raw("an invented method", request("BREW", "/compile", &[], b""), 405, "method_not_allowed"),
        raw("POST of a GET path", request("POST", "/models", &[], OK), 405, "method_not_allowed"),
        raw("an unknown path", request("POST", "/compil", &[], OK), 404, "not_found"),
        raw("a slash too many", request("POST", "/compile/", &[], OK), 404, "not_found"),
        raw("a path upwards", request("GET", "/docs/../../etc/passwd", &[], b""), 404, "not_found"),
        raw("a path upwards, encoded", request("GET", "/docs/..%2f..%2fetc%2fpasswd", &[], b""), 404, "not_found"),
        raw("a path of NUL", request("GET", "/problems/%00", &[], b""), 422, "invalid_request"),
        raw("a long path", request("GET", &format!("/{}", &long[..8000]), &[], b""), 404, "not_found"),
        raw("a deadline that is none", request("POST", "/compile", &[("contexture-deadline-ms", "NaN")], OK), 422, "invalid_request"),
        raw("a deadline below zero", request("POST", "/compile", &[("contexture-deadline-ms", "-1")], OK), 422, "invalid_request"),
        raw("a deadline of a day", request("POST", "/compile", &[("contexture-deadline-ms", "86400000")], OK), 422, "invalid_request"),
        raw("17 MiB said", post("content-length: 17825792\r\n"), 413, "body_too_large"),
        raw("an exabyte said", post("content-length: 1152921504606846976\r\n"), 413, "body_too_large"),
        // Hyper answers these itself: there is no request yet that could have a problem.
        raw("a length below zero", post("content-length: -1\r\n"), 400, ""),
        raw("two lengths", post("content-length: 1\r\ncontent-length: 2\r\n"), 400, ""),
        raw("a chunk size that is none", post("transfer-encoding: chunked\r\n").into_iter().chain(*b"zz\r\n").collect(), 422, "invalid_request"),
        raw("300 KB of header", post(&format!("x: {long}\r\n")), 431, ""),
        raw("200 headers", post(&many), 431, ""),
        raw("a header with a NUL", post("x: a\0b\r\n"), 400, ""),
        raw("no HTTP at all", b"hello there\r\n\r\n".to_vec(), 400, ""),
        raw("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(), 400, ""),
        raw("HTTP/9.9", head("GET / HTTP/9.9"), 400, ""),
    ]
}

#[tokio::test]
async fn what_the_server_refuses_is_refused_well() {
    let mut rows = encodings();
    rows.extend(types());
    rows.extend(bytes());
    rows.extend(requests());
    check(rows).await;
}

#[tokio::test]
async fn many_bombs_cost_no_more_than_one() {
    let server = ServerProcess::start(&[]);
    for (encoding, bomb) in [("gzip", gzip_bomb(1024)), ("zstd", zstd_bomb(1024))] {
        let bytes = request("POST", "/compile", &[("content-encoding", encoding)], &bomb);
        for _ in 0..4 {
            let reply = send(server.address, &bytes).await;
            assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
        }
    }
    // A bomb is 1 GiB. What one took is kept for the next.
    let peak = server.peak_kib();
    assert!(peak < 320 * 1024, "the peak was {peak} KiB");
}

#[tokio::test]
async fn pipelined_requests_are_each_answered_in_order() {
    let server = ServerProcess::start(&[]);
    let body = String::from_utf8_lossy(OK);
    let kept = format!(
        "POST /compile HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}\
         POST /compile HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/css\r\ncontent-length: 2\r\n\r\n{{}}",
        body.len()
    );
    let mut bytes = kept.into_bytes();
    bytes.extend_from_slice(&request("GET", "/healthz", &[], b""));
    let reply = send(server.address, &bytes).await;
    let all = format!("{}{}", reply.head, String::from_utf8_lossy(&reply.body));
    let statuses: Vec<_> =
        all.match_indices("HTTP/1.1 ").map(|(at, mark)| &all[at + mark.len()..][..3]).collect();
    assert_eq!(statuses, ["200", "415", "200"]);
}

#[tokio::test]
async fn hundreds_of_silent_connections_do_not_stop_the_others() {
    let server = ServerProcess::start(&["--header-timeout-ms", "500"]);
    let mut silent = Vec::new();
    for _ in 0..400 {
        silent.push(tokio::net::TcpStream::connect(server.address).await.expect("a connection"));
    }
    let reply = send(server.address, &request("POST", "/compile", &[], OK)).await;
    assert_eq!(reply.status, 200);
    for mut stream in silent {
        let mut byte = [0];
        let read = tokio::io::AsyncReadExt::read(&mut stream, &mut byte);
        let ended = tokio::time::timeout(std::time::Duration::from_secs(10), read).await;
        assert!(matches!(ended, Ok(Ok(0) | Err(_))), "a silent connection was kept");
    }
}
