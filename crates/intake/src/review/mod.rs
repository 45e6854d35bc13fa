//! People who review apps: what is theirs to look at, the app itself in a frame, and what they say of it.
//!
//! Everything here is asked for by forms that carry a pass, which is a token's for half a day. No cookie opens anything, so that an
//! app in a frame, which is a stranger's, gains nothing from what a browser would send along.

mod assigned;
mod entrance;
mod pages;
mod saving;
mod session;

use crate::page::{self, Framed, plain_frame};
use crate::state::Intake;
use assigned::Candidates;
use axum::Router;
use axum::extract::{Form, State};
use axum::http::HeaderMap;
use axum::routing::{MethodRouter, get, post};
use benchwright_domain::vibe::review::{Key, Sheet};
use entrance::Fields;
use pages::Wish;
use std::fmt;
use std::sync::{Arc, Mutex};

/// What a reviewer reads of the app in a run: the run, anything that no other occasion has, and the day (YYYY-MM-DD).
pub type SheetOf = dyn Fn(&str, &str, &str) -> Result<Sheet, String> + Send + Sync;

/// What is known of reviewing outside of this crate.
#[derive(Clone)]
pub struct Reviews {
    seed: String,
    sheet: Arc<SheetOf>,
    calibration: Arc<(Sheet, Key)>,
    candidates: Arc<Mutex<Candidates>>,
    frame: Arc<Framed>,
}

impl Reviews {
    /// Who sees what in which order comes from the seed, which is published. Every reviewer begins with the calibration item.
    pub fn new(seed: &str, sheet: Arc<SheetOf>, calibration: (Sheet, Key)) -> Self {
        let (candidates, frame) = (Arc::default(), Arc::new(plain_frame));
        Self { seed: seed.to_owned(), sheet, calibration: Arc::new(calibration), candidates, frame }
    }

    /// Puts the site around the pages.
    #[must_use]
    pub fn framed(self, frame: Arc<Framed>) -> Self {
        Self { frame, ..self }
    }
}

impl fmt::Debug for Reviews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reviews").field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// All addresses of this part.
pub(crate) fn router() -> Router<Arc<Intake>> {
    Router::new()
        .route("/annotate", wish(Wish::List).get(pages::door))
        .route("/annotate/open", wish(Wish::Open))
        .route("/annotate/app", wish(Wish::App))
        .route("/annotate/save", wish(Wish::Save))
        .route("/annotate/close", wish(Wish::Close))
        .route(&page::ANNOTATE_SCRIPT.path(), get(page::annotate_script))
        .route(&page::ANNOTATE_STYLE.path(), get(page::annotate_style))
}

/// An address to which a form is sent.
fn wish(wish: Wish) -> MethodRouter<Arc<Intake>> {
    post(move |State(intake): State<Arc<Intake>>, headers: HeaderMap, Form(fields): Form<Fields>| {
        pages::fulfil(wish, intake, headers, fields)
    })
}
