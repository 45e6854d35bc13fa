//! Places for downloads of reports as files, of whole runs and of all runs: few, as each keeps a thread waiting or a whole file in memory, and
//! fewer for each visitor, so that nobody has them all.

use crate::problem::Problem;
use crate::site::Site;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

const MOST: usize = 8;
const MOST_OF_A_VISITOR: usize = 2;
/// A file that is in memory is sent in pieces of this size.
const PIECE: usize = 64 * 1024;

/// All places.
pub struct Downloads {
    shared: Arc<Semaphore>,
    /// The places of those who have some now.
    own: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

/// A place that a visitor has.
pub struct Place {
    _own: OwnedSemaphorePermit,
    _shared: OwnedSemaphorePermit,
}

/// A file that was made for one visitor, who has the place until all of it is sent.
pub struct Held {
    left: Bytes,
    _place: Place,
}

impl Held {
    /// A file and the place it is sent from.
    pub fn new(file: impl Into<Bytes>, place: Place) -> Self {
        Self { left: file.into(), _place: place }
    }
}

impl Body for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let end = self.left.len().min(PIECE);
        // A copy: the last pieces wait for a slow reader when the place is free again, and a part of the file would keep all of it.
        let piece = Bytes::copy_from_slice(&self.left.split_to(end));
        Poll::Ready((end > 0).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left.len() as u64)
    }
}

impl Downloads {
    /// All of them free.
    pub fn new() -> Self {
        Self { shared: Arc::new(Semaphore::new(MOST)), own: Mutex::default() }
    }

    /// A place, if one is free.
    fn take(&self, visitor: IpAddr) -> Result<Place, Problem> {
        let busy = |text: &str| Problem::Busy(text.to_owned());
        let own = self.of(visitor).try_acquire_owned();
        let own = own
            .map_err(|_| busy("Two downloads at once are all that one visitor gets. Try again when one has ended."))?;
        let shared = Arc::clone(&self.shared).try_acquire_owned();
        let shared = shared.map_err(|_| busy("Too many downloads at once. Try again in a moment."))?;
        Ok(Place { _own: own, _shared: shared })
    }

    fn of(&self, visitor: IpAddr) -> Arc<Semaphore> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        own.retain(|_, places| places.strong_count() > 0);
        own.get(&visitor).and_then(Weak::upgrade).unwrap_or_else(|| {
            let places = Arc::new(Semaphore::new(MOST_OF_A_VISITOR));
            own.insert(visitor, Arc::downgrade(&places));
            places
        })
    }
}

impl FromRequestParts<Arc<Site>> for Place {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Arc<Site>) -> Result<Self, Problem> {
        site.downloads.take(network(visitor(parts, site.settings.behind_tls)))
    }
}

/// Who asks. A proxy appends whom it heard; what stands before that anybody may have written.
fn visitor(parts: &Parts, behind_proxy: bool) -> IpAddr {
    let lines = parts.headers.get_all("x-forwarded-for");
    let last = lines.iter().next_back().and_then(|line| line.to_str().ok()?.rsplit(',').next());
    let forwarded = last.filter(|_| behind_proxy).and_then(|text| text.trim().parse().ok());
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    forwarded.or(peer).unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

/// What one subscriber usually has: an address, or a /64 of IPv6.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::from((v6.to_bits() >> 64 << 64).to_be_bytes()),
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn at(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn one_visitor_had_all_places_and_nobody_else_could_download_anything() {
        let downloads = Downloads::new();
        let take = |address: &str| downloads.take(network(at(address)));
        let mut kept: Vec<Place> = (0..MOST).filter_map(|_| take("192.0.2.1").ok()).collect();
        assert_eq!(kept.len(), MOST_OF_A_VISITOR);
        let refused = take("192.0.2.1").err().unwrap();
        assert!(matches!(&refused, Problem::Busy(text) if text.contains("one visitor")), "{refused}");
        let others = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.2", "192.0.2.3", "192.0.2.3", "192.0.2.4"];
        kept.extend(others.iter().filter_map(|other| take(other).ok()));
        assert_eq!(kept.len(), MOST, "three neighbours in one network of IPv6 are one visitor");
        assert!(matches!(take("192.0.2.5"), Err(Problem::Busy(text)) if text.contains("Too many")));
        kept.clear();
        assert!(take("192.0.2.1").is_ok());
        assert_eq!(downloads.own.lock().unwrap().len(), 1, "nobody is remembered who has no place");
    }

    #[test]
    fn a_header_says_who_asks_only_behind_a_proxy_and_only_its_end_does() {
        let request = Request::get("/").header("x-forwarded-for", "10.0.0.1, 192.0.2.7").body(()).unwrap();
        let mut parts = request.into_parts().0;
        parts.extensions.insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 5))));
        assert_eq!((visitor(&parts, false), visitor(&parts, true)), (at("127.0.0.1"), at("192.0.2.7")));
    }
}
