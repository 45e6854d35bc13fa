//! The backend track with two accounts, beside the peer.

use super::measured::{Accounts, Job, Pair, unscored, wall_ratio};
use super::{Bench, peer};
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use benchwright_fixtures::NodeServer;

const SCORERS: &str = "f1,f7,f8,s4";
/// The peer knows one kind of record, contacts, and takes a form for a dashboard when it is in the page but hidden; so it is contacts that both are
/// asked about, on pages that hold nothing but what they show.
const APP: &str = r#"{"noun":"contact","style":"pages"}"#;
const ACCOUNTS: Accounts = Accounts { a: ("ada@crm.test", "ada-Secret-1"), b: ("bob@crm.test", "bob-Secret-2") };
const PROMPT: &str = "id: bench-contacts
tier: 3
prompt: An address book for a small team. Everybody signs in with e-mail and password and keeps contacts of their own.
";

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    let app = NodeServer::backend("crm.mjs", APP).naming("start the app with accounts")?;
    let prompt = bench.file("bench-contacts.yaml", PROMPT)?;
    let job = Job { url: &app.url(), scorers: SCORERS, prompt: &prompt, source: None, accounts: Some(&ACCOUNTS) };
    let pairs = bench.beside_the_peer(&job)?;
    let mut table = Table::new(["pair", "ours, wall s", "peer, wall s", "ours f7 f8 s4", "peer's f7 f8 s4"]);
    for (number, pair) in (1_usize..).zip(&pairs) {
        let scores = |scores: &Json| {
            let each =
                ["f7", "f8", "s4"].map(|id| scores.number(id).map_or("–".to_owned(), |score| score.to_string()));
            Json::from(each.join(" "))
        };
        let (ours, peer) = (&pair.ours, &pair.peer);
        let walls = (ours.wall_seconds.into(), peer.wall_seconds.into());
        table.row([number.into(), walls.0, walls.1, scores(&ours.scores), scores(&peer.scores)]);
    }
    Ok(Outcome {
        kind: "backend",
        title: format!("the backend track, beside {}", peer::VERSION),
        about: format!(
            "{} interleaved pairs on a small address book with two accounts, scorers {SCORERS}, after one uncounted run of each. {}",
            pairs.len(),
            unscored(&pairs)
        ),
        table,
        verdicts: vec![Verdict::new("wall time of the backend track, ours / peer", 0.25, wall_ratio(&pairs))],
        raw: Json::object([
            ("peer", peer::VERSION.into()),
            ("pairs", Json::List(pairs.iter().map(Pair::to_json).collect())),
        ]),
    })
}
