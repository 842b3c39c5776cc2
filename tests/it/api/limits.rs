//! What one caller, and all of them together, may ask for.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::support::{TestServer, exchange, problem, request, send};

/// The numbers up to `count`: text of which no piece is seen twice.
fn numbers(count: u32) -> String {
    let words: Vec<String> = (0..count).map(|number| number.to_string()).collect();
    words.join(" ")
}

fn hello() -> serde_json::Value {
    json!({"messages": [{"role": "user", "content": "Hello"}], "target": "openai"})
}

#[tokio::test]
async fn a_compile_tells_where_the_time_went() {
    let server = TestServer::spawn().await;
    let response = server.post("/compile", &hello()).await;
    assert_eq!(response.status(), 200);
    let timing = response.headers()["server-timing"].to_str().unwrap().to_owned();
    let names: Vec<_> = timing.split(", ").map(|row| row.split(';').next().unwrap()).collect();
    assert_eq!(names, ["parse", "count", "compile", "hooks", "store", "serialise"]);
    let body: serde_json::Value = response.json().await.unwrap();
    for key in ["id", "payload", "report"] {
        assert!(body.get(key).is_some(), "{key}");
    }
}

#[tokio::test]
async fn compressed_bodies_are_read() {
    let server = TestServer::spawn().await;
    let text = hello().to_string();
    let gzip = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
    let (first, last) = text.as_bytes().split_at(text.len() / 2);
    let skipped = b"\x5f\x2a\x4d\x18\x05\0\0\0notes";
    let halves = [first, last].map(|half| zstd::encode_all(half, 1).unwrap());
    let frames = [&skipped[..], &halves[0], skipped, &halves[1]].concat();
    for (encoding, body) in
        [("gzip", gzip), ("zstd", zstd), ("zstd", frames), ("identity", text.into_bytes())]
    {
        let request = server.build_json("POST", "/compile").header("content-encoding", encoding);
        let response = request.body(body).send().await.unwrap();
        assert_eq!(response.status(), 200, "{encoding}");
    }
}

#[tokio::test]
async fn an_unknown_encoding_names_the_known_ones() {
    let server = TestServer::spawn().await;
    let request = server.build_json("POST", "/compile").header("content-encoding", "br").body("x");
    let response = request.send().await.unwrap();
    assert_eq!(response.headers()["accept-encoding"], "gzip, zstd");
    problem(response, 415, "unsupported_encoding").await;
}

#[tokio::test]
async fn a_body_that_says_it_is_too_large_is_refused_unread() {
    let server = TestServer::with(&["--max-body-bytes", "1000"]).await;
    let head = "POST /compile HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 1001\r\n\r\n";
    // Not one byte of the body is sent.
    let reply = send(server.address, head.as_bytes()).await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
}

#[tokio::test]
async fn a_body_of_unknown_size_is_cut_at_the_limit() {
    let server = TestServer::with(&["--max-body-bytes", "1000"]).await;
    let head = "POST /compile HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = format!("7d0\r\n{}\r\n", "a".repeat(2000));
    let reply = send(server.address, format!("{head}{chunk}0\r\n\r\n").as_bytes()).await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
}

#[tokio::test]
async fn a_body_at_the_limit_passes() {
    let server = TestServer::with(&["--max-body-bytes", "1000"]).await;
    let text = hello().to_string();
    let padded = format!("{text}{}", " ".repeat(1000 - text.len()));
    let reply = send(server.address, &request("POST", "/compile", &[], padded.as_bytes())).await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn a_slow_head_closes_the_connection() {
    let server = TestServer::with(&["--header-timeout-ms", "300"]).await;
    let pause = Duration::from_millis(100);
    // The silent one, one that could still be either version, one that drips its head.
    let drip: Vec<(&[u8], Duration)> = std::iter::once((&b"GET / HTTP/1.1\r\n"[..], pause))
        .chain(std::iter::repeat_n((&b"x: y\r\n"[..], pause), 100))
        .collect();
    for pieces in [vec![], vec![(&b"PRI * HT"[..], pause)], drip] {
        let started = Instant::now();
        let reply = exchange(server.address, &pieces).await;
        assert!(matches!(reply.status, 0 | 408), "{}", reply.head);
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }
}

#[tokio::test]
async fn a_slow_body_is_a_408_by_its_total_time() {
    let server = TestServer::with(&["--body-timeout-ms", "300"]).await;
    let head =
        b"POST /compile HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 999\r\n\r\n";
    // Each byte comes quickly enough; all of them together do not.
    let mut pieces: Vec<(&[u8], Duration)> = vec![(head, Duration::ZERO)];
    pieces.extend(std::iter::repeat_n((&b" "[..], Duration::from_millis(50)), 200));
    let started = Instant::now();
    let reply = exchange(server.address, &pieces).await;
    assert_eq!((reply.status, reply.code().as_str()), (408, "request_timeout"));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_deadline_that_is_not_one_is_refused() {
    let server = TestServer::spawn().await;
    for bad in ["0", "soon", "-1", "1.5", "60001"] {
        let request = server.build("POST", "/compile").header("contexture-deadline-ms", bad);
        let response = request.json(&hello()).send().await.unwrap();
        let body = problem(response, 422, "invalid_request").await;
        assert!(body["detail"].as_str().unwrap().contains("Contexture-Deadline-Ms"), "{bad}");
    }
}

#[tokio::test]
async fn a_body_that_does_not_begin_is_a_408() {
    let server = TestServer::spawn().await;
    let head =
        b"POST /compile HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 999\r\n\r\n";
    let started = Instant::now();
    let reply = exchange(server.address, &[(&head[..], Duration::ZERO)]).await;
    assert_eq!((reply.status, reply.code().as_str()), (408, "request_timeout"));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

/// Begins a body of 16,000,000 bytes, and waits until the server reads it.
async fn begin_body(server: &TestServer) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = "POST /compile HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nexpect: 100-continue\r\nconnection: close\r\ncontent-length: 16000000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut status = [0; 25];
    stream.read_exact(&mut status).await.unwrap();
    assert!(status.starts_with(b"HTTP/1.1 100"));
    stream
}

#[tokio::test]
async fn a_body_that_has_not_arrived_takes_no_memory() {
    let server = TestServer::spawn().await;
    let mut open = Vec::new();
    for _ in 0..30 {
        open.push(begin_body(&server).await);
    }
    let large = json!({"messages": [{"role": "user", "content": "a ".repeat(1_000_000)}], "target": "openai"});
    assert_eq!(server.post("/compile", &large).await.status(), 200);
    drop(open);
}

#[tokio::test]
async fn bodies_in_flight_share_a_bounded_memory() {
    let server = TestServer::spawn().await;
    let part = vec![b' '; 15_900_000];
    let mut open = Vec::new();
    let refused = loop {
        assert!(open.len() < 16, "their sum is bounded");
        let mut stream = begin_body(&server).await;
        if stream.write_all(&part).await.is_err() {
            break stream;
        }
        // The server either reads on, or refuses.
        let mut first = [0];
        match tokio::time::timeout(Duration::from_millis(500), stream.peek(&mut first)).await {
            Ok(_) => break stream,
            Err(_) => open.push(stream),
        }
    };
    assert!(open.len() >= 10, "{}", open.len());
    let mut reply = String::new();
    { refused }.read_to_string(&mut reply).await.unwrap();
    assert!(reply.starts_with("HTTP/1.1 503"), "{reply}");
    assert!(reply.contains("retry-after: 1\r\n"), "{reply}");
    assert_eq!(server.post("/compile", &hello()).await.status(), 200, "small ones still pass");
}

/// Clients that ask for a large artifact and do not read it.
#[tokio::test]
async fn responses_that_are_not_read_count_in_the_memory_of_their_caller() {
    let server = TestServer::spawn().await;
    let body = json!({"text": "0123456789".repeat(1_500_000)});
    let id = server.post_json("/artifacts", 201, &body).await["id"].clone();
    let asked = request("GET", &format!("/artifacts/{}", id.as_str().unwrap()), &[], b"");
    let mut unread = Vec::new();
    for _ in 0..13 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(&asked).await.unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        unread.push((String::from_utf8(status.to_vec()).unwrap(), stream));
    }
    // Three quarters of 256 MiB have room for 13 of 15 MB, less what the sockets' buffers took.
    let answered = unread.iter().filter(|(status, _)| status == "HTTP/1.1 200").count();
    let late = send(server.address, &asked).await;
    assert_eq!((answered, late.status, late.code().as_str()), (13, 503, "overloaded"));
    assert_eq!(server.post("/compile", &hello()).await.status(), 200);
    drop(unread);
    let freed = async {
        while send(server.address, &asked).await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), freed).await.expect("the memory is free");
}

/// Turns of a session with a long history, whose payloads nobody reads.
#[tokio::test]
async fn what_a_turn_reads_from_the_store_counts_before_it_is_read() {
    let server = TestServer::spawn().await;
    let message = json!({"role": "user", "content": "word ".repeat(1_000_000)});
    let append = json!({"append": [message, message], "compile": false, "source": "openai"});
    server.post_json("/sessions/long/turns", 200, &append).await;
    let turn = json!({"append": [{"role": "user", "content": "go on"}], "target": "openai",
        "budget": {"context_window": 1_000_000_000}});
    let patient = [("contexture-deadline-ms", "60000")];
    let asked = request("POST", "/sessions/long/turns", &patient, turn.to_string().as_bytes());
    let mut answers: Vec<(String, TcpStream)> = Vec::new();
    for _ in 0..24 {
        // A response whose client takes nothing for 30 seconds is dropped, which a slow machine needs
        // for less than 24 turns.
        for (_, stream) in &answers {
            let _ = stream.try_read(&mut vec![0; 65_536]);
        }
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(&asked).await.unwrap();
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        answers.push((String::from_utf8(status.to_vec()).unwrap(), stream));
    }
    let of = |code: &str| answers.iter().filter(|(status, _)| status.ends_with(code)).count();
    let (taken, refused) = (of("200"), of("503"));
    assert_eq!(taken + refused, 24, "{:?}", answers.first());
    // Six times 10 MB have room in 192 MiB beside at most 14 payloads of 10 MB.
    assert!((5..=15).contains(&taken), "{taken}");
    assert_eq!(server.post("/compile", &hello()).await.status(), 200, "small ones still pass");
    drop(answers);
    // A turn that was refused is not in the session.
    let session = server.get_json("/sessions/long").await;
    assert_eq!(session["messages"], 2 + taken);
}

#[tokio::test]
async fn connections_beyond_the_limit_are_served_health_only() {
    let server = TestServer::with(&["--max-connections", "1"]).await;
    let first = TcpStream::connect(server.address).await.unwrap();
    for path in ["/healthz", "/readyz"] {
        assert_eq!(send(server.address, &request("GET", path, &[], b"")).await.status, 200);
    }
    let reply = send(server.address, &request("GET", "/models", &[], b"")).await;
    assert_eq!((reply.status, reply.code().as_str()), (503, "overloaded"));
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert_eq!(reply.header("connection"), Some("close"));
    drop(first);
    // Its place is free once the server has noticed.
    let freed = async {
        while send(server.address, &request("GET", "/models", &[], b"")).await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), freed).await.expect("the place is free");
}

#[tokio::test]
async fn http2_is_spoken_without_asking() {
    let server = TestServer::spawn().await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\n").await.unwrap();
    stream.write_all(b"SM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let mut frame = [0; 9];
    stream.read_exact(&mut frame).await.unwrap();
    assert_eq!(frame[3], 4, "the first frame is SETTINGS");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overloaded_server_answers_some_and_refuses_the_rest() {
    let server = TestServer::with(&["--workers", "1"]).await;
    let text = numbers(100_000);
    let body = json!({"messages": [{"role": "user", "content": text}], "target": "openai"});
    // From here on it is known what a compile takes.
    assert_eq!(server.post("/compile", &body).await.status(), 200);
    let mut open = tokio::task::JoinSet::new();
    for number in 0..300 {
        let mut body = body.clone();
        // No two alike, so that none is counted for free.
        body["messages"][0]["content"] = format!("{number} {text}").into();
        open.spawn(server.build("POST", "/compile").json(&body).send());
    }
    let memory = server.post("/memory", &json!({"action": "add", "content": "goes on"})).await;
    assert_eq!(memory.status(), 201, "what computes nothing does not stand in its queue");
    let (mut answered, mut refused) = (0, 0);
    for response in open.join_all().await {
        let response = response.expect("an answer");
        if response.status() == 200 {
            answered += 1;
        } else {
            assert_eq!(response.headers()["retry-after"], "1");
            problem(response, 503, "overloaded").await;
            refused += 1;
        }
    }
    assert!(answered > 4, "what is done in a moment is answered, here {answered}");
    assert!(refused > 0, "what is not is refused");
    let figures = server.get("/metrics").await.text().await.unwrap();
    assert!(figures.contains("contexture_http_requests_shed_total"), "{figures}");
    assert_eq!(server.post("/compile", &hello()).await.status(), 200, "it recovers");
}

#[tokio::test(flavor = "multi_thread")]
async fn many_short_requests_at_once_wait_and_are_answered() {
    let server = TestServer::with(&["--workers", "1"]).await;
    let mut open = tokio::task::JoinSet::new();
    for number in 0..100 {
        let key = format!("/memory/key-{number}");
        open.spawn(server.build("PUT", &key).json(&json!({"value": number})).send());
    }
    for _ in 0..24 {
        open.spawn(server.build("POST", "/compile").json(&hello()).send());
    }
    for response in open.join_all().await {
        let status = response.expect("an answer").status();
        assert!(status.is_success(), "{status}");
    }
}

#[tokio::test]
async fn a_deadline_that_passes_is_a_504() {
    let server = TestServer::spawn().await;
    let text = numbers(400_000);
    let body = json!({"messages": [{"role": "user", "content": text}], "target": "openai"});
    let request = server.build("POST", "/compile").header("contexture-deadline-ms", "1");
    let started = Instant::now();
    problem(request.json(&body).send().await.unwrap(), 504, "deadline").await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[tokio::test]
async fn parameters_that_nobody_reads_are_refused() {
    let server = TestServer::spawn().await;
    for (method, path) in [
        ("POST", "/sessions"),
        ("POST", "/sessions/s/turns"),
        ("PATCH", "/sessions/s"),
        ("DELETE", "/sessions/s"),
        ("POST", "/compress"),
        ("POST", "/tools/calls"),
        ("PUT", "/memory/k"),
        ("POST", "/memory/recall"),
        ("GET", "/models"),
    ] {
        let request = server.build(method, &format!("{path}?dry_run=true"));
        let refused = request.json(&json!({"value": 1})).send().await.unwrap();
        let refused = problem(refused, 422, "invalid_request").await;
        let detail = refused["detail"].as_str().unwrap();
        assert!(detail.starts_with("unknown parameter `dry_run`"), "{method} {path}: {detail}");
    }
    for path in ["/sessions/s", "/memory/k"] {
        problem(server.get(path).await, 404, "not_found").await;
    }
    // An empty query has no parameter, and what tells nothing takes any.
    assert_eq!(server.post("/sessions?", &json!({"id": "s"})).await.status(), 201);
    for path in ["/healthz?at=1", "/docs/?at=1", "/problems?at=1"] {
        assert_eq!(server.get(path).await.status(), 200, "{path}");
    }
    assert_eq!(server.build("PUT", "/compress?at=1").send().await.unwrap().status(), 405);
}

#[tokio::test]
async fn a_cursor_that_no_list_gave_is_refused_in_the_same_words() {
    let server = TestServer::spawn().await;
    for path in [
        "/adapters",
        "/compilations",
        "/hooks",
        "/hooks/h/deliveries",
        "/keys",
        "/memory",
        "/memory/k/versions",
        "/memory-candidates",
        "/memory-candidates/events",
        "/packs",
        "/sessions",
        "/sessions/s/snapshots",
        "/skills",
        "/usage",
    ] {
        for cursor in ["zzz", ""] {
            let refused = server.get(&format!("{path}?cursor={cursor}")).await;
            let refused = problem(refused, 422, "invalid_request").await;
            let detail = "the parameter `cursor` must be the `next_cursor` of an answer";
            assert_eq!(refused["detail"], detail, "{path}");
        }
    }
}
