//! The pages of people who review apps, asked as a browser would ask them.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod blind;
mod entering;
mod marking;
mod showing;
mod site;
