//! The app that a reviewer has open: a job of the queue, done by a worker that shows it.

use super::entrance::Reviewer;
use crate::refusal::Refused;
use crate::state::Intake;
use benchwright_domain::{Order, ReviewOrder};
use benchwright_store::jobs::{self, Job, JobState, NewJob, Priority, SubmitLimits, fresh_id};
use jiff::Timestamp;
use url::Url;

/// Apps that may wait to be shown.
const MOST_WAITING: i64 = 100;
/// Stands for the name of a copy in the address that a worker gives.
const COPY: &str = "{copy}";

/// How it stands with the app that a page is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Session {
    /// It can be used; `seed` and `day` make the values that go with it.
    Open { place: String, seed: String, day: String },
    /// A worker is about to show it.
    Opening { seed: String, day: String },
    /// Nobody asked for it, or it was closed.
    Closed,
    /// It did not start, or no worker could show it.
    Failed,
}

/// Opens an app, unless it is open. Whatever else the reviewer has open is closed: nobody looks at two apps.
pub async fn open(intake: &Intake, reviewer: &Reviewer, run: Option<&str>) -> Result<(), Refused> {
    let wanted = ReviewOrder { run: run.map(str::to_owned) };
    let mut is_open = false;
    for job in intake.queue.open_reviews(&reviewer.id).await? {
        if job.order.review.as_ref() == Some(&wanted) && !is_open {
            is_open = true;
        } else {
            intake.queue.cancel(&job.id).await?;
        }
    }
    if is_open {
        return Ok(());
    }
    let new = NewJob {
        id: fresh_id(Timestamp::now())?,
        order: Order::to_review(wanted),
        priority: Priority::Normal,
        submitter: reviewer.id.clone(),
        once: None,
    };
    let limits = SubmitLimits { waiting: MOST_WAITING, per_hour: intake.terms.jobs_per_hour };
    intake.queue.submit(&new, limits).await?.map(|_| ()).map_err(|refusal| match refusal {
        jobs::Refusal::QueueIsFull => Refused::Full,
        jobs::Refusal::TooOften => Refused::TooOften,
    })
}

/// Closes whatever a reviewer has open.
pub async fn close(intake: &Intake, reviewer: &Reviewer) -> Result<(), Refused> {
    for job in intake.queue.open_reviews(&reviewer.id).await? {
        intake.queue.cancel(&job.id).await?;
    }
    Ok(())
}

/// How it stands with an app.
pub async fn of(intake: &Intake, reviewer: &Reviewer, run: Option<&str>) -> Result<Session, Refused> {
    let last = intake.queue.last_review(&reviewer.id).await?;
    let is_it = |job: &Job| job.order.review.as_ref().is_some_and(|order| order.run.as_deref() == run);
    Ok(last.filter(is_it).map_or(Session::Closed, |job| Session::of_job(&job)))
}

impl Session {
    fn of_job(job: &Job) -> Self {
        let (seed, day) = (job.id.clone(), job.submitted_at.get(..10).unwrap_or_default().to_owned());
        match (job.state, &job.place) {
            (JobState::Failed, _) => Self::Failed,
            (state, _) if state.is_final() || job.cancel_asked => Self::Closed,
            (JobState::Running, Some(place)) => Self::Open { place: place.clone(), seed, day },
            _ => Self::Opening { seed, day },
        }
    }
}

/// The origin of one copy of an app, if what the worker wrote down is one.
pub fn origin_of(place: &str, copy: &str) -> Option<String> {
    let origin = Url::parse(&place.replace(COPY, copy)).ok()?.origin();
    let is_web = place.contains(COPY) && (place.starts_with("http://") || place.starts_with("https://"));
    (is_web && origin.is_tuple()).then(|| origin.ascii_serialization())
}

/// Where to open the site instead, when browsers would take `host` and the app for strangers and keep nothing of what the app stores.
/// Neighbours are hosts below one domain.
pub fn better_place(host: &str, origin: &str) -> Option<String> {
    let site = Url::parse(&format!("http://{host}/")).ok()?;
    let app = Url::parse(origin).ok()?;
    let domain = |url: &Url| url.host_str().and_then(|host| host.split_once('.')).map(|(_, domain)| domain.to_owned());
    let beside = domain(&app)?;
    if domain(&site).as_ref() == Some(&beside) && site.domain().is_some() {
        return None;
    }
    let port = site.port().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://site.{beside}{port}/annotate", app.scheme()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_that_is_no_neighbour_of_the_app_is_told_where_it_would_be() {
        let app = "http://w0x0-ab.bench.localhost:4000";
        assert_eq!(better_place("site.bench.localhost:8080", app), None);
        let better = Some("http://site.bench.localhost:8080/annotate".to_owned());
        assert_eq!(better_place("127.0.0.1:8080", app), better);
        assert_eq!(better_place("localhost:8080", app), better);
        let elsewhere = better_place("bench.example", "https://w0x0-ab.apps.example");
        assert_eq!(elsewhere.as_deref(), Some("https://site.apps.example/annotate"));
        assert_eq!(better_place("site.apps.example", "https://w0x0-ab.apps.example"), None);
        assert_eq!(better_place("not a host", app), None);
    }

    #[test]
    fn an_address_is_the_origin_of_one_copy_or_nothing() {
        let of = |place| origin_of(place, "w1x0");
        assert_eq!(of("http://{copy}-ab.localhost:4000").as_deref(), Some("http://w1x0-ab.localhost:4000"));
        assert_eq!(of("https://{copy}-ab.review.example/").as_deref(), Some("https://w1x0-ab.review.example"));
        for wrong in ["http://ab.localhost:4000", "javascript:{copy}", "{copy}", "http://", "data:text/html,{copy}"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }
}
