//! Tickets, sharing and removing, asked directly: no browser and no network in between.
#![expect(clippy::unwrap_used, reason = "all of this is test code, which fails by panicking")]

mod forged;
mod honest;
mod limits;
mod site;
