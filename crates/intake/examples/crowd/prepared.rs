//! Runs that are ready to be shared: 40 answers each, of several models, with outputs as long as small models write them.

use crate::connection::Connection;
use benchwright_fixtures::{half_right, quiz_run};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

const THREADS: usize = 4;
/// Behind endpoints, which alone may be as fast as runs that are shared by the hundred.
const MODELS: [&str; 6] = ["small-1", "small-2", "small-3", "middle-1", "middle-2", "large-1"];
/// So long an answer takes, in the client's words: 40 of them fit between a ticket and its run.
const MILLISECONDS: f64 = 150.0;

pub struct Prepared {
    pub body: String,
}

impl Prepared {
    /// Asks for tickets and makes a run of each.
    pub fn make(host: &str, count: usize) -> Vec<Self> {
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|_| {
                    scope.spawn(|| {
                        let mut connection = Connection::open(host);
                        let mut made = Vec::new();
                        loop {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            if number >= count {
                                return made;
                            }
                            made.push(Self::one(&mut connection, number));
                        }
                    })
                })
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        })
    }

    fn one(connection: &mut Connection, number: usize) -> Self {
        let model = MODELS[number % MODELS.len()];
        let asked = json!({ "quick": { "source": "own", "count": 40 }, "model": model, "protocol": "one-message-1" });
        let body = Self::ticket(connection, &asked.to_string());
        let ticket: Value = serde_json::from_str(&body).unwrap();
        let day = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
        let mut run = quiz_run(&ticket, &day, MILLISECONDS, |question| {
            let length = 6 + question.question.len() % 19;
            let reasoning = "Let us look at each of the options in turn, and see what speaks for it. ".repeat(length);
            format!("{reasoning}Attempt {number}.\nANSWER: {}", half_right(question))
        });
        run["model"] =
            json!({ "catalogue_id": null, "custom_name": model, "quantisation": "unknown", "file_sha256": null });
        run["engine"] =
            json!({ "name": "openai-compatible", "version": "unknown", "backend": "endpoint", "threads": null });
        Self { body: run.to_string() }
    }

    /// A site gives out a thousand tickets a second at most; who asks faster asks again.
    fn ticket(connection: &mut Connection, asked: &str) -> String {
        loop {
            let (status, body) = connection.ask("POST", "/api/v1/quiz/tickets", asked);
            if status != 503 {
                assert_eq!(status, 201, "{body}");
                return body;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}
