//! `benchwright token`: who may act through the web.

use super::block_on;
use crate::args::{ScopeChoice, TokenCommand, TokenCreateArguments, TokenListArguments, TokenRevokeArguments};
use crate::exit::Failure;
use crate::{config, data_place, reviewing};
use benchwright_store::index::{Scope, Token, TokenTerms};
use jiff::{SignedDuration, Timestamp};
use std::process::ExitCode;

const LONGEST_NAME: usize = 80;
const MOST_DAYS: usize = 3650;

/// Runs the command.
pub fn run(command: &TokenCommand) -> Result<ExitCode, Failure> {
    match command {
        TokenCommand::Create(arguments) => block_on(create(arguments))??,
        TokenCommand::List(arguments) => block_on(list(arguments))??,
        TokenCommand::Revoke(arguments) => block_on(revoke(arguments))??,
    }
    Ok(ExitCode::SUCCESS)
}

async fn create(arguments: &TokenCreateArguments) -> Result<(), Failure> {
    let name = arguments.name.trim();
    if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(Failure::BadInput(format!("--name must be 1 to {LONGEST_NAME} printable characters")));
    }
    let now = Timestamp::now();
    let expires_at = match arguments.days {
        None => None,
        days => {
            let days = number(config::between("--days", days, 1, MOST_DAYS)?);
            let end = now.checked_add(SignedDuration::from_hours(days * 24));
            Some(moment(end.map_err(|error| Failure::BadInput(format!("--days: {error}")))?))
        }
    };
    let per_hour = arguments.jobs_per_hour.map(|number| config::between("--jobs-per-hour", Some(number), 1, 100_000));
    let terms = TokenTerms {
        name: name.to_owned(),
        scopes: arguments.scopes.iter().map(|choice| scope(*choice)).collect(),
        expires_at,
        jobs_per_hour: per_hour.transpose()?.map(number),
    };
    data_place::make(&arguments.place)?;
    let index = data_place::index_or_new(&arguments.place, data_place::ONE_COMMIT).await?;
    let (token, text) = index.issue_token(&terms, &moment(now)).await?;
    index.close().await?;
    eprintln!("token {} for {}; it is shown this once:", token.id, token.name);
    println!("{text}");
    Ok(())
}

async fn list(arguments: &TokenListArguments) -> Result<(), Failure> {
    let index = data_place::index(&arguments.place).await?;
    let tokens = index.tokens().await?;
    index.close().await?;
    if arguments.json {
        let json = serde_json::to_string_pretty(&tokens).map_err(|error| Failure::Bug(error.to_string()))?;
        println!("{json}");
        return Ok(());
    }
    let now = moment(Timestamp::now());
    for token in &tokens {
        let (standing, calibrated) = (standing(token, &now), calibrated(token)?);
        println!("{}  {:<20}  {:<20}  {standing}{calibrated}", token.id, token.name, scopes(token));
    }
    Ok(())
}

async fn revoke(arguments: &TokenRevokeArguments) -> Result<(), Failure> {
    let index = data_place::index(&arguments.place).await?;
    let was_there = index.revoke_token(&arguments.id, &moment(Timestamp::now())).await?;
    index.close().await?;
    if !was_there {
        let id = arguments.id.escape_default();
        return Err(Failure::BadInput(format!(
            "there is no token `{id}` to revoke; `benchwright token list` shows them"
        )));
    }
    println!("token {} is revoked", arguments.id);
    Ok(())
}

fn scope(choice: ScopeChoice) -> Scope {
    match choice {
        ScopeChoice::Read => Scope::Read,
        ScopeChoice::Submit => Scope::Submit,
        ScopeChoice::Moderate => Scope::Moderate,
        ScopeChoice::Review => Scope::Review,
    }
}

fn scopes(token: &Token) -> String {
    token.scopes.iter().map(|scope| scope.key()).collect::<Vec<_>>().join(",")
}

/// How far a reviewer agrees with what is known of the practice app.
fn calibrated(token: &Token) -> Result<String, Failure> {
    if !token.scopes.contains(&Scope::Review) {
        return Ok(String::new());
    }
    let key = reviewing::calibration()?.1;
    let said = token.calibration.as_ref();
    Ok(match said.and_then(|said| Some((said.is_done(&key), said.agreement(&key)?))) {
        None => "  practice app: not begun".to_owned(),
        Some((is_done, agreed)) => {
            let so_far = if is_done { "" } else { ", not finished" };
            format!("  practice app: {} of {} right ({:.1} %){so_far}", agreed.agreed, agreed.shared, agreed.percent)
        }
    })
}

fn standing(token: &Token, now: &str) -> String {
    match (&token.revoked_at, &token.expires_at) {
        (Some(at), _) => format!("revoked {at}"),
        (None, Some(at)) if at.as_str() <= now => format!("ended {at}"),
        (None, Some(at)) => format!("until {at}"),
        (None, None) => format!("since {}", token.created_at),
    }
}

fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A number that was checked to be small.
fn number(checked: usize) -> i64 {
    i64::try_from(checked).unwrap_or(i64::MAX)
}
