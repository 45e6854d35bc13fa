use super::Served;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::io;
use std::path::{Path, PathBuf};
use tokio::net::TcpListener;
use tower_http::compression::CompressionLayer;
use tower_http::services::{ServeDir, ServeFile};

/// Serves the files of a folder the way static hosts do: compressed, with an index page per folder, and with the front page for
/// addresses that only the app's own router knows.
pub async fn files(folder: &Path) -> io::Result<Served> {
    let front_page = folder.join("index.html");
    let unknown = Router::new().fallback(front_page_or_nothing).with_state(front_page);
    let service = ServeDir::new(folder).call_fallback_on_method_not_allowed(true).fallback(unknown);
    let app = Router::new().fallback_service(service).layer(CompressionLayer::new());
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}/", listener.local_addr()?);
    let task = tokio::spawn(async move {
        let _ = axum::serve(listener, app).await;
    });
    Ok(Served::new(url, task))
}

/// A name with an extension is a file that is missing; anything else is a page of the app.
async fn front_page_or_nothing(State(front_page): State<PathBuf>, request: Request) -> Response {
    let last = request.uri().path().rsplit('/').next().unwrap_or_default();
    if last.contains('.') || !front_page.is_file() {
        return StatusCode::NOT_FOUND.into_response();
    }
    match ServeFile::new(front_page).try_call(request).await {
        Ok(response) => response.map(Body::new),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    async fn get(served: &Served, path: &str) -> String {
        let host = served.url().trim_start_matches("http://").trim_end_matches('/');
        let mut stream = TcpStream::connect(host).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn files_are_served_and_pages_of_the_apps_own_router_get_the_front_page() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("index.html"), "<h1>Front</h1>").unwrap();
        std::fs::write(folder.path().join("app.js"), "let a;").unwrap();
        let served = files(folder.path()).await.unwrap();
        assert!(get(&served, "/").await.ends_with("<h1>Front</h1>"));
        assert!(get(&served, "/app.js").await.contains("text/javascript"));
        let routed = get(&served, "/orders/17").await;
        assert!(routed.starts_with("HTTP/1.1 200") && routed.ends_with("<h1>Front</h1>"), "{routed}");
        assert!(get(&served, "/robots.txt").await.starts_with("HTTP/1.1 404"));
        assert!(get(&served, "/../../etc/passwd").await.find("root:").is_none());
    }
}
