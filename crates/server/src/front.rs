//! Where requests arrive. What was asked before in the same words, and was made from the index as it is, is sent again as it is; everything
//! else goes to the router.

use crate::cache::{MadeFrom, Remembered, Sent};
use crate::encoding::{Coding, accepted};
use crate::site::Site;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::header::IF_NONE_MATCH;
use axum::http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::Service;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;
use tower::ServiceExt as _;

/// Longer questions are not remembered.
const LONGEST_TARGET: usize = 512;

/// The site as connections see it.
#[derive(Clone)]
pub struct Front {
    router: Router,
    /// Absent where the router must see every request.
    site: Option<Arc<Site>>,
}

/// The site as one connection sees it.
pub(crate) struct Conversation {
    front: Front,
    /// Who asks: whoever limits how often somebody asks must know. Nobody writes it down.
    peer: SocketAddr,
    /// Where the router works. The threads of connections only move bytes.
    thinking: Handle,
}

impl Front {
    /// A site whose answers depend on nothing but what is asked: they are remembered.
    pub fn remembering(router: Router, site: Arc<Site>) -> Self {
        Self { router, site: Some(site) }
    }

    /// A site that looks at who asks: the router sees every request.
    pub fn guarded(router: Router) -> Self {
        Self { router, site: None }
    }

    pub(crate) fn heard_from(&self, peer: SocketAddr, thinking: &Handle) -> Conversation {
        Conversation { front: self.clone(), peer, thinking: thinking.clone() }
    }
}

impl Service<Request<Incoming>> for Conversation {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(ConnectInfo(self.peer));
        let is_plain = request.method() == Method::GET && !request.headers().contains_key(IF_NONE_MATCH);
        let target = request.uri().path_and_query().map(axum::http::uri::PathAndQuery::as_str);
        let (Some(site), Some(target), true) = (&self.front.site, target, is_plain) else {
            return self.think(self.front.router.clone().oneshot(request));
        };
        let coding = accepted(request.headers());
        let anew = |request| answer_and_keep(self.front.router.clone(), Arc::clone(site), request, coding);
        match site.pages.answer(coding, target) {
            None => self.think(anew(request)),
            Some(Remembered { sent, is_due }) => {
                if is_due {
                    // Who is told to have it made anew does not wait for it either, and need not stay.
                    self.thinking.spawn(anew(request));
                }
                Box::pin(std::future::ready(Ok(again(&sent))))
            }
        }
    }
}

impl Conversation {
    /// An answer that takes more than memory; given up when the connection is.
    fn think<F>(&self, answering: F) -> <Self as Service<Request<Incoming>>>::Future
    where
        F: Future<Output = Result<Response<Body>, Infallible>> + Send + 'static,
    {
        let answering = AbortOnDropHandle::new(self.thinking.spawn(answering));
        // It ends without an answer when the whole site does; the router answers for panics itself.
        Box::pin(async move { answering.await.unwrap_or_else(|_| Ok(no_answer())) })
    }
}

async fn answer_and_keep(
    router: Router,
    site: Arc<Site>,
    request: Request<Incoming>,
    coding: Coding,
) -> Result<Response<Body>, Infallible> {
    let target = request.uri().path_and_query().map(ToString::to_string).unwrap_or_default();
    let response = router.oneshot(request).await?;
    let made_from = response.extensions().get::<MadeFrom>().copied();
    match made_from.filter(|_| response.status() == StatusCode::OK && target.len() <= LONGEST_TARGET) {
        Some(made_from) => {
            let (head, body) = response.into_parts();
            // Such a body is in memory already.
            let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
            site.pages.keep(coding, &target, made_from, head.headers.clone(), body.clone());
            Ok(Response::from_parts(head, Body::from(body)))
        }
        None => Ok(response),
    }
}

fn no_answer() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
}

fn again(sent: &Sent) -> Response<Body> {
    let mut response = Response::new(Body::from(sent.body.clone()));
    response.headers_mut().clone_from(&sent.head);
    response
}
