mod support;
use benchwright_browser::*;
use support::server::*;
use support::*;
use std::time::Duration;
#[tokio::test]
async fn dbg() {
    for (name, piece) in [("x", vec![b'x';65536]), ("comment", b"<!-- nothing to lay out -->\n".repeat(2000)), ("p", b"<p>word word word</p>\n".repeat(2000))] {
    let server = Server::start(move |_| Reply::Endless("text/html", piece.clone())).await;
    let chromium = Chromium::start().await;
    let options = ContextOptions { max_response_bytes: Some(5_000_000), ..ContextOptions::default() };
    let page = chromium.context(options).await.new_page().await.unwrap();
    let p2 = page.clone();
    let h = tokio::spawn(async move { for _ in 0..10 { tokio::time::sleep(Duration::from_secs(1)).await; let l = p2.log(); println!("{:?}", l.requests.iter().map(|r| (r.status, r.decoded_bytes, r.encoded_bytes, r.seconds, r.failed.clone())).collect::<Vec<_>>()); }});
    let t = std::time::Instant::now();
    let n = page.goto(&server.url("/"), LoadLimits{navigation: Duration::from_secs(10), ..limits()}).await.unwrap();
    println!("{name} {:?} {n:?}", t.elapsed());
    h.abort();
    }
}
