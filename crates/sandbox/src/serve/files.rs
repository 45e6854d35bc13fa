use super::{ServeError, Served};
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use std::fs;
use std::path::{Path, PathBuf};
use tokio::net::TcpListener;
use tower_http::compression::CompressionLayer;
use tower_http::services::{ServeDir, ServeFile};

const MAX_ENTRIES: usize = 200_000;

/// Serves the files of a folder the way static hosts do: compressed, with an index page per folder, and with the front page for
/// addresses that only the app's own router knows.
pub async fn files(folder: &Path, listener: TcpListener) -> Result<Served, ServeError> {
    let address = listener.local_addr().map_err(|source| ServeError::Listen { port: 0, source })?;
    let looked_through = folder.to_owned();
    let looking = tokio::task::spawn_blocking(move || refuse_ways_out(&looked_through));
    looking.await.map_err(|error| unreadable(folder)(std::io::Error::other(error)))??;
    let front_page = folder.join("index.html");
    let unknown = Router::new().fallback(front_page_or_nothing).with_state(front_page);
    let service = ServeDir::new(folder).call_fallback_on_method_not_allowed(true).fallback(unknown);
    let app = Router::new().fallback_service(service).layer(CompressionLayer::new());
    let task = tokio::spawn(async move {
        let _ = axum::serve(listener, app).await;
    });
    Ok(Served::new(format!("http://{address}/"), task, None))
}

/// A page can read what is served beside it and send it anywhere, so a link must not add the user's own files to a stranger's folder.
fn refuse_ways_out(folder: &Path) -> Result<(), ServeError> {
    let root = folder.canonicalize().map_err(unreadable(folder))?;
    let mut folders = vec![root.clone()];
    let mut entries = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(unreadable(&folder))? {
            let entry = entry.map_err(unreadable(&folder))?;
            let kind = entry.file_type().map_err(unreadable(&folder))?;
            entries += 1;
            if entries > MAX_ENTRIES {
                return Err(ServeError::Crowd { folder: root, most: MAX_ENTRIES });
            }
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_symlink() && entry.path().canonicalize().is_ok_and(|target| !target.starts_with(&root)) {
                return Err(ServeError::LeadsOut(entry.path()));
            }
        }
    }
    Ok(())
}

fn unreadable(path: &Path) -> impl FnOnce(std::io::Error) -> ServeError + '_ {
    move |source| ServeError::Unreadable { path: path.to_owned(), source }
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
    use super::super::listen;
    use super::*;
    use std::os::unix::fs::symlink;
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
        let served = files(folder.path(), listen(None).await.unwrap()).await.unwrap();
        assert!(get(&served, "/").await.ends_with("<h1>Front</h1>"));
        assert!(get(&served, "/app.js").await.contains("text/javascript"));
        let routed = get(&served, "/orders/17").await;
        assert!(routed.starts_with("HTTP/1.1 200") && routed.ends_with("<h1>Front</h1>"), "{routed}");
        assert!(get(&served, "/robots.txt").await.starts_with("HTTP/1.1 404"));
        assert!(get(&served, "/../../etc/passwd").await.find("root:").is_none());
    }

    #[test]
    fn a_link_may_lead_about_the_folder_and_not_out_of_it() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(folder.path().join("deep")).unwrap();
        fs::write(folder.path().join("index.html"), "").unwrap();
        symlink("../index.html", folder.path().join("deep/index.html")).unwrap();
        symlink("/no/such/file", folder.path().join("dangling")).unwrap();
        refuse_ways_out(folder.path()).unwrap();
        symlink(outside.path(), folder.path().join("deep/keys")).unwrap();
        let error = refuse_ways_out(folder.path()).unwrap_err();
        assert!(matches!(&error, ServeError::LeadsOut(link) if link.ends_with("deep/keys")), "{error}");
        assert!(!error.is_environment());
    }
}
