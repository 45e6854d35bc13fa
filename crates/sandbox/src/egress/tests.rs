use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A server that answers everything with one sentence.
async fn server() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello").await;
        }
    });
    port
}

async fn ask(egress: &Egress, request: &str) -> String {
    let mut stream = TcpStream::connect(egress.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    answer
}

#[tokio::test]
async fn a_local_address_nobody_typed_is_refused_in_every_spelling() {
    let secret = server().await;
    let typed = server().await;
    let egress = Egress::start("127.0.0.1", typed).await.unwrap();
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1"] {
        let answer = ask(&egress, &format!("GET http://{host}:{secret}/ HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        assert!(!answer.contains("hello"), "{host}: {answer}");
        let tunnel = ask(&egress, &format!("CONNECT {host}:{secret} HTTP/1.1\r\n\r\n")).await;
        assert!(tunnel.starts_with("HTTP/1.1 4") || tunnel.starts_with("HTTP/1.1 5"), "{host}: {tunnel}");
    }
    let first = &egress.unreached()[0];
    assert_eq!((first.host.clone(), first.failure), (format!("127.0.0.1:{secret}"), Failure::Local));
}

#[tokio::test]
async fn the_address_the_user_typed_is_reached_by_any_of_its_names() {
    let typed = server().await;
    let egress = Egress::start("127.0.0.1", typed).await.unwrap();
    let answer = ask(&egress, &format!("GET http://localhost:{typed}/ HTTP/1.1\r\nHost: x\r\n\r\n")).await;
    assert!(answer.ends_with("hello"), "{answer}");
    assert!(egress.switches().iter().any(|switch| switch.contains(&format!(";127.0.0.1:{typed}"))));
    assert_eq!(egress.unreached(), []);
}

#[tokio::test]
async fn private_and_metadata_addresses_are_refused_without_a_connection_attempt() {
    let egress = Egress::start("127.0.0.1", 1).await.unwrap();
    for host in ["169.254.169.254", "10.0.0.1", "192.168.0.1", "[fd00:ec2::254]", "[fe80::1]"] {
        let answer = ask(&egress, &format!("GET http://{host}/latest/meta-data HTTP/1.1\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
    }
    assert!(egress.unreached().iter().all(|unreached| unreached.failure == Failure::Local));
}

#[tokio::test]
async fn a_public_address_that_was_typed_opens_no_door_to_local_ones() {
    let secret = server().await;
    // An address of the public internet on the same port; it is looked at, not called.
    let egress = Egress::start("93.184.215.14", secret).await.unwrap();
    assert_eq!(egress.switches()[1], "--proxy-bypass-list=<-loopback>", "nothing goes around the proxy");
    for host in ["127.0.0.1", "localhost"] {
        let answer = ask(&egress, &format!("GET http://{host}:{secret}/ HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{host}: {answer}");
    }
}

#[tokio::test]
async fn garbage_gets_an_answer_and_no_connection() {
    let egress = Egress::start("127.0.0.1", 1).await.unwrap();
    assert!(ask(&egress, "GET / HTTP/1.1\r\n\r\n").await.starts_with("HTTP/1.1 400"));
}

#[tokio::test]
async fn a_name_that_does_not_exist_is_left_to_the_browser_to_report() {
    let egress = Egress::start("no-such-host.invalid", 80).await.unwrap();
    assert!(egress.switches()[1].ends_with(";no-such-host.invalid:80"));
    // The browser must not find it later: a name that changes its mind could lead to this machine.
    assert_eq!(egress.switches()[3], "--host-resolver-rules=MAP no-such-host.invalid ~NOTFOUND");
}

#[tokio::test]
async fn a_strangers_address_gets_no_exemption() {
    let local = server().await;
    let egress = Egress::start_for_strangers().await.unwrap();
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"] {
        let answer = ask(&egress, &format!("GET http://{host}:{local}/ HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        assert!(!answer.contains("hello"), "{host}: {answer}");
    }
    assert!(egress.switches()[1].ends_with("=<-loopback>"), "nothing goes around the proxy: {:?}", egress.switches());
}

#[tokio::test]
async fn an_address_that_is_admitted_is_reached_until_the_admission_ends() {
    let app = server().await;
    let egress = Egress::start_for_strangers().await.unwrap();
    let request = format!("GET http://127.0.0.1:{app}/ HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(!ask(&egress, &request).await.contains("hello"));
    let address = SocketAddr::from(([127, 0, 0, 1], app));
    let (first, second) = (egress.admit(address), egress.admit(address));
    assert!(ask(&egress, &request).await.contains("hello"));
    drop(first);
    assert!(ask(&egress, &request).await.contains("hello"));
    drop(second);
    assert!(!ask(&egress, &request).await.contains("hello"));
}
