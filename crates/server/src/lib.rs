//! The site: runs and their index in, pages and an API out.
//!
//! Pages are made here, from what the index says and what runs keep; nothing is scored and nothing is started. What is shown of a
//! run was often written by the app under test, so every string goes through an escaping template, and the content security
//! policy would stop what slipped through.

mod address;
mod api;
mod assets;
mod badge;
mod cache;
mod carrier;
mod chart;
mod downloads;
mod encoding;
mod facts;
mod front;
mod listen;
mod markdown;
mod methodology;
mod pace;
mod pages;
mod pictures;
mod problem;
mod quiz;
mod router;
mod security;
mod shell;
mod site;
mod vibe;
mod view;

pub use front::Front;
pub use listen::{Limits, serve};
pub use methodology::{Input, Methodology, ScorerDocument};
pub use problem::{Problem, fault};
pub use quiz::{Bundle, Quiz, Weights};
pub use router::router;
pub use security::headers;
pub use shell::{Section, Shell};
pub use site::{Scored, Settings, Site};
