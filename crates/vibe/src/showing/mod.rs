//! Showing an app to somebody who reviews it: every copy has data and an origin of its own, and all of it is gone when it is closed.
//!
//! A [`Gate`] listens for a whole worker and tells apps apart by the first label of the host that a browser asks for. The label ends in
//! a key that nobody can guess, so only whoever was given an address finds what is behind it. What stands before the key names the
//! copy: asking for a name that was not asked for before starts a fresh one. See `docs/decisions/0026-people-who-review.md`.

mod address;
mod copies;
mod gate;
mod head;

pub use address::{Address, AddressError};
pub use gate::{Gate, GateError, Showing};
