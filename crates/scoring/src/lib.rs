//! Track 1: how good is this generated web app?
//!
//! `plan` says which scorers apply and which evidence they need, `lanes` gather it, 23 pure scorers read it, `assemble` makes the
//! report. Scorers never open a socket; gatherers never compute a score.

pub mod assemble;
pub mod conduct;
pub mod evidence;
pub mod gather;
pub mod plan;
pub mod prompt;
pub mod record;
pub mod request;
pub mod scorers;
pub mod serve;
