//! Tokens that let somebody act through the web. The index keeps their hashes; a token itself is shown once.

use super::Index;
use super::database::Row;
use super::error::IndexError;
use benchwright_domain::vibe::review::Calibration;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

const PREFIX: &str = "bw";
const ID_BYTES: usize = 5;
const SECRET_BYTES: usize = 32;
/// Nothing longer is hashed: a token of ours is shorter.
const LONGEST: usize = 200;

/// What a token allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Reading, where reading is not public.
    Read,
    /// Submitting jobs.
    Submit,
    /// Quarantine, release and take-down.
    Moderate,
    /// Reviewing apps, under the name of the token.
    Review,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Read, Self::Submit, Self::Moderate, Self::Review];

    /// The name used in JSON and on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Submit => "submit",
            Self::Moderate => "moderate",
            Self::Review => "review",
        }
    }
}

/// What is known of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Its public part, by which it can be revoked.
    pub id: String,
    /// Whose it is, as the operator says.
    pub name: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// RFC 3339, UTC.
    pub created_at: String,
    /// When it was revoked; it allows nothing since.
    pub revoked_at: Option<String>,
    /// When it ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Jobs it may ask for in an hour, where the operator set a number of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobs_per_hour: Option<i64>,
    /// What its reviewer said of the item everybody begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
}

impl Token {
    /// Whether it allows something at this moment (RFC 3339, UTC, as all moments here).
    pub fn allows(&self, scope: Scope, now: &str) -> bool {
        let ended = |at: &String| at.as_str() <= now;
        self.revoked_at.is_none() && !self.expires_at.as_ref().is_some_and(ended) && self.scopes.contains(&scope)
    }
}

/// What a new token is to be.
#[derive(Debug, Clone, Default)]
pub struct TokenTerms {
    /// Whose it is.
    pub name: String,
    /// What it allows.
    pub scopes: Vec<Scope>,
    /// When it ends by itself; RFC 3339, UTC.
    pub expires_at: Option<String>,
    /// Jobs it may ask for in an hour.
    pub jobs_per_hour: Option<i64>,
}

/// A token as a backup keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptToken {
    /// What is known of it.
    #[serde(flatten)]
    pub token: Token,
    /// SHA-256 of its text.
    pub hash: String,
}

impl Index {
    /// Makes a token without an end. The text is returned this once and cannot be had again.
    pub async fn create_token(&self, name: &str, scopes: &[Scope], now: &str) -> Result<(Token, String), IndexError> {
        let terms = TokenTerms { name: name.to_owned(), scopes: scopes.to_vec(), ..TokenTerms::default() };
        self.issue_token(&terms, now).await
    }

    /// Makes a token on given terms.
    pub async fn issue_token(&self, terms: &TokenTerms, now: &str) -> Result<(Token, String), IndexError> {
        let mut random = [0; ID_BYTES + SECRET_BYTES];
        getrandom::fill(&mut random)
            .map_err(|error| IndexError::Failed { doing: "make a token", reason: error.to_string() })?;
        let id = hex(&random[..ID_BYTES]);
        let text = format!("{PREFIX}_{id}_{}", hex(&random[ID_BYTES..]));
        let TokenTerms { name, mut scopes, expires_at, jobs_per_hour } = terms.clone();
        scopes.sort_unstable();
        scopes.dedup();
        let (created_at, revoked_at, calibration) = (now.to_owned(), None, None);
        let token = Token { id, name, scopes, created_at, revoked_at, expires_at, jobs_per_hour, calibration };
        self.restore_tokens(&[KeptToken { token: token.clone(), hash: hash(&text) }]).await?;
        Ok((token, text))
    }

    /// All tokens with their hashes, for a backup.
    pub async fn kept_tokens(&self) -> Result<Vec<KeptToken>, IndexError> {
        let sql = format!("SELECT {COLUMNS}, hash FROM tokens ORDER BY token");
        let kept = |mut row: Row| Ok(KeptToken { token: read(&mut row)?, hash: row.text()? });
        self.database.query(&sql, Vec::new()).await?.into_iter().map(kept).collect()
    }

    /// Takes tokens in. One that is there stays as it is, but a revocation counts wherever it was written down.
    pub async fn restore_tokens(&self, tokens: &[KeptToken]) -> Result<(), IndexError> {
        let sql = "INSERT INTO tokens (token, hash, name, scopes, created_at, revoked_at, expires_at, jobs_per_hour, calibration) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
                   ON CONFLICT (token) DO UPDATE SET revoked_at = COALESCE(tokens.revoked_at, excluded.revoked_at)";
        let mut session = self.database.begin().await?;
        for KeptToken { token, hash } in tokens {
            let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.key()).collect();
            let cells = vec![
                (&token.id).into(),
                hash.into(),
                (&token.name).into(),
                scopes.join(",").into(),
                (&token.created_at).into(),
                token.revoked_at.as_ref().into(),
                token.expires_at.as_ref().into(),
                token.jobs_per_hour.into(),
                token.calibration.as_ref().map(super::row::json).into(),
            ];
            session.execute(sql, cells).await?;
        }
        session.commit().await
    }

    /// The token a text is, if it is one and was not revoked. What it allows now is for [`Token::allows`] to say.
    pub async fn token(&self, text: &str) -> Result<Option<Token>, IndexError> {
        if text.len() > LONGEST {
            return Ok(None);
        }
        let sql = format!("SELECT {COLUMNS} FROM tokens WHERE hash = $1 AND revoked_at IS NULL");
        self.database
            .query(&sql, vec![hash(text).into()])
            .await?
            .into_iter()
            .next()
            .map(|mut row| read(&mut row))
            .transpose()
    }

    /// All tokens, the newest first.
    pub async fn tokens(&self) -> Result<Vec<Token>, IndexError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tokens ORDER BY created_at DESC, token DESC LIMIT {}",
            super::query::MOST_ROWS
        );
        self.database.query(&sql, Vec::new()).await?.iter_mut().map(read).collect()
    }

    /// The tokens of all reviewers that were not revoked, the newest first.
    pub async fn reviewers(&self) -> Result<Vec<Token>, IndexError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tokens WHERE revoked_at IS NULL AND (',' || scopes || ',') LIKE '%,{},%' \
             ORDER BY created_at DESC, token DESC",
            Scope::Review.key()
        );
        self.database.query(&sql, Vec::new()).await?.iter_mut().map(read).collect()
    }

    /// Keeps what the reviewer of a token said of the item everybody begins with.
    pub async fn calibrate(&self, id: &str, calibration: &Calibration) -> Result<(), IndexError> {
        let mut session = self.database.begin().await?;
        let sql = "UPDATE tokens SET calibration = $1 WHERE token = $2";
        session.execute(sql, vec![super::row::json(calibration).into(), id.into()]).await?;
        session.commit().await
    }

    /// Revokes a token for good; says whether there was one that was not revoked before.
    pub async fn revoke_token(&self, id: &str, now: &str) -> Result<bool, IndexError> {
        let mut session = self.database.begin().await?;
        let sql = "UPDATE tokens SET revoked_at = $1 WHERE token = $2 AND revoked_at IS NULL";
        let changed = session.execute(sql, vec![now.into(), id.into()]).await?;
        session.commit().await?;
        Ok(changed > 0)
    }
}

const COLUMNS: &str = "token, name, scopes, created_at, revoked_at, expires_at, jobs_per_hour, calibration";

fn read(row: &mut Row) -> Result<Token, IndexError> {
    let (id, name, scopes) = (row.text()?, row.text()?, row.text()?);
    let scopes = Scope::ALL.into_iter().filter(|scope| scopes.split(',').any(|key| key == scope.key())).collect();
    Ok(Token {
        id,
        name,
        scopes,
        created_at: row.text()?,
        revoked_at: row.optional_text()?,
        expires_at: row.optional_text()?,
        jobs_per_hour: row.optional_integer()?,
        calibration: row.optional_text()?.map(|text| super::row::parse(&text, "calibration")).transpose()?,
    })
}

/// A token is 256 random bits, so a plain hash is as good as a slow one.
fn hash(text: &str) -> String {
    hex(&Sha256::digest(text))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
