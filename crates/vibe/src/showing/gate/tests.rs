//! The gate before a real server of this machine.

use super::*;

const KEY: &str = "0123456789abcdef";

/// Answers every connection with what it was asked, in a thread of its own.
fn echo() -> u16 {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            let mut bytes = vec![0; 4096];
            let read = client.read(&mut bytes).unwrap();
            let asked = String::from_utf8_lossy(&bytes[..read]).into_owned();
            let _ =
                write!(client, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-Frame-Options: DENY\r\n\r\n{asked}");
        }
    });
    port
}

async fn asked(gate: &Gate, host: &str) -> String {
    let origin = gate.address.origin("x");
    let port = origin.rsplit_once(':').unwrap().1.to_owned();
    let mut client = TcpStream::connect(format!("127.0.0.1:{port}")).await.unwrap();
    let request = format!("GET /page HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: benchwright_form=1\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn only_whoever_knows_the_key_gets_in_and_nobody_after_the_end() {
    let app = echo();
    let gate = Gate::open("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
    let showing = gate.admit(KEY, Prepared::at(&format!("http://127.0.0.1:{app}/")));
    assert!(showing.place().starts_with(&format!("http://{{copy}}-{KEY}.bench.localhost:")), "{}", showing.place());
    showing.start("w0").await.unwrap();
    let answer = asked(&gate, &format!("w0-{KEY}.localhost")).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nGET /page HTTP/1.1\r\n"), "{answer}");
    assert!(answer.contains(&format!("Host: 127.0.0.1:{app}")) && !answer.contains("benchwright_form"), "{answer}");
    for stranger in
        ["w0-0123456789abcdee.localhost", "127.0.0.1", "localhost", &format!("-{KEY}.x"), &format!("a.{KEY}")]
    {
        assert!(asked(&gate, stranger).await.starts_with("HTTP/1.1 404"), "{stranger}");
    }
    showing.close().await;
    assert!(asked(&gate, &format!("w0-{KEY}.localhost")).await.starts_with("HTTP/1.1 404"));
}

#[tokio::test]
async fn an_app_cannot_ask_for_copies_without_end() {
    let app = echo();
    let gate = Gate::open("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
    let showing = gate.admit(KEY, Prepared::at(&format!("http://127.0.0.1:{app}/")));
    for number in 0..300 {
        showing.start(&format!("c{number}")).await.unwrap();
    }
    let answer = asked(&gate, &format!("more-{KEY}.localhost")).await;
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("Too many"), "{answer}");
    showing.close().await;
}
