//! A thousand jobs, three workers, kills and restarts, on both databases.

use super::Soak;
use crate::failure::Failure;
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use crate::{check, services};
use std::time::Instant;

pub(super) fn run(_: &Soak) -> Result<Outcome, Failure> {
    services::install_missing();
    let started = Instant::now();
    let faults = usize::from(check::many_jobs()?.run().is_err());
    let seconds = started.elapsed().as_secs_f64();
    let mut table = Table::new(["sweeps that failed", "seconds"]);
    table.row([faults.into(), seconds.into()]);
    Ok(Outcome {
        kind: "jobs",
        title: "a thousand jobs, three workers, kills and restarts".to_owned(),
        about:
            "On SQLite and on PostgreSQL: every job is recorded once, none is lost, and one job outlives every lease."
                .to_owned(),
        table,
        verdicts: vec![Verdict::none("queues that lost or repeated a job, or could not be finished", faults)],
        raw: Json::object([("seconds", seconds.into())]),
    })
}
