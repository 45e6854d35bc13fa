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

/// Says yes to every web socket, and then back what it hears.
fn parrot() -> u16 {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let mut client = client.unwrap();
            std::thread::spawn(move || {
                let mut bytes = vec![0; 4096];
                let read = client.read(&mut bytes).unwrap();
                let asked = String::from_utf8_lossy(&bytes[..read]).into_owned();
                let asks = |line: &str| asked.lines().any(|other| other.eq_ignore_ascii_case(line));
                assert!(asks("upgrade: websocket") && asks("connection: upgrade") && asks("sec-websocket-key: k=="));
                let yes = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
                client.write_all(yes.as_bytes()).unwrap();
                while let Ok(read @ 1..) = client.read(&mut bytes) {
                    client.write_all(&bytes[..read]).unwrap();
                }
            });
        }
    });
    port
}

/// A web socket through the gate, and what was said when it was opened.
async fn web_socket(gate: &Gate) -> (TcpStream, String) {
    let origin = gate.address.origin("x");
    let port = origin.rsplit_once(':').unwrap().1.to_owned();
    let mut client = TcpStream::connect(format!("127.0.0.1:{port}")).await.unwrap();
    let request = format!(
        "GET /live HTTP/1.1\r\nHost: w0-{KEY}.localhost:{port}\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Key: k==\r\n\r\n"
    );
    client.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    while head::end_of(&bytes).is_none() && client.read_buf(&mut bytes).await.unwrap() > 0 {}
    (client, String::from_utf8(bytes).unwrap())
}

async fn hears(client: &mut TcpStream, said: &[u8]) -> Vec<u8> {
    client.write_all(said).await.unwrap();
    let mut heard = vec![0; said.len()];
    client.read_exact(&mut heard).await.unwrap();
    heard
}

#[tokio::test]
async fn a_web_socket_stays_open_and_both_sides_are_heard() {
    let gate = Gate::open("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
    let showing = gate.admit(KEY, Prepared::at(&format!("http://127.0.0.1:{}/", parrot())));
    let (mut client, answer) = web_socket(&gate).await;
    assert!(answer.starts_with("HTTP/1.1 101 Switching Protocols\r\n"), "{answer}");
    assert!(answer.contains("Upgrade: websocket\r\n") && answer.contains("Connection: Upgrade\r\n"), "{answer}");
    let long = vec![7; 100_000];
    for said in [b"\x81\x02hi".as_slice(), b"\x00\xff\r\n\r\n", &long] {
        assert_eq!(hears(&mut client, said).await, said);
    }
    showing.close().await;
}

#[tokio::test]
async fn a_stream_on_which_nothing_stirs_is_ended_and_one_that_is_used_is_not() {
    // Long enough that a busy machine does not look like a quiet stream.
    let patience = Duration::from_secs(3);
    let gate = Gate::open_with("127.0.0.1:0".parse().unwrap(), None, patience).await.unwrap();
    let showing = gate.admit(KEY, Prepared::at(&format!("http://127.0.0.1:{}/", parrot())));
    let (mut client, _) = web_socket(&gate).await;
    for _ in 0..5 {
        sleep(patience / 4).await;
        assert_eq!(hears(&mut client, b"still here").await, b"still here");
    }
    assert_eq!(client.read(&mut [0]).await.unwrap_or(0), 0, "nobody said anything, so nobody is listened to");
    showing.close().await;
}

#[tokio::test]
async fn one_app_cannot_take_every_connection_from_the_others() {
    let gate = Gate::open("127.0.0.1:0".parse().unwrap(), None).await.unwrap();
    let greedy = gate.admit(KEY, Prepared::at(&format!("http://127.0.0.1:{}/", parrot())));
    let other = gate.admit("fedcba9876543210", Prepared::at(&format!("http://127.0.0.1:{}/", echo())));
    let mut open = Vec::new();
    let refused = loop {
        let (client, answer) = web_socket(&gate).await;
        if !answer.starts_with("HTTP/1.1 101") {
            break answer;
        }
        open.push(client);
        assert!(open.len() < MOST_CONNECTIONS / 2, "it has {} connections", open.len());
    };
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    assert!(asked(&gate, "w0-fedcba9876543210.localhost").await.starts_with("HTTP/1.1 200"));
    drop(open.pop());
    let mut answer = web_socket(&gate).await.1;
    for _ in 0..100 {
        if answer.starts_with("HTTP/1.1 101") {
            break;
        }
        sleep(ACCEPT_AGAIN).await;
        answer = web_socket(&gate).await.1;
    }
    assert!(answer.starts_with("HTTP/1.1 101"), "a connection that ended makes room: {answer}");
    greedy.close().await;
    other.close().await;
}
