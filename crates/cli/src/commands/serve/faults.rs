//! What went wrong on our side, for the operator: visitors read only that something did.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

/// Says on standard error why an answer failed. What stands behind the path is left out: forms and programs put tokens there.
pub async fn tell(request: Request, next: Next) -> Response {
    let asked = format!("{} {}", request.method(), request.uri().path());
    let response = next.run(request).await;
    if let Some(why) = benchwright_server::fault(&response).or_else(|| benchwright_intake::fault(&response)) {
        // Names of files and what a database says may hold anything.
        eprintln!("benchwright: cannot answer {asked}: {}", why.replace(char::is_control, " "));
    }
    response
}
