//! All formats of a report, as one test program: what they show, and that nothing a page wrote can become markup.

mod escaping;
mod hostile;
mod page;
mod sample;
mod schema;
mod snapshots;
mod vectors;
