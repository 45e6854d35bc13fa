use benchwright_domain::yaml;
use serde::Deserialize;

/// The largest file of accounts that is read.
pub const MAX_ACCOUNTS_BYTES: usize = 16 * 1024;
const MAX_NODES: usize = 100;
/// Names that are no secret.
const FIELDS: [&str; 4] = ["user_a", "user_b", "email", "password"];

/// Two accounts of the app under test, which must not see each other's data.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accounts {
    /// The first user.
    pub user_a: Account,
    /// The second user.
    pub user_b: Account,
}

/// One account of the app under test.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Account {
    /// What the login form calls e-mail or user name.
    pub email: String,
    /// Its password.
    pub password: String,
}

/// Why a file of accounts cannot be used. The message completes "failed to …" and quotes nothing of the file's values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccountsError {
    #[error("read accounts {file}: it has {bytes} bytes, and at most {MAX_ACCOUNTS_BYTES} are read; shorten it")]
    TooLarge { file: String, bytes: usize },
    #[error(
        "read accounts {file}:{line}:{column}: {problem}; the file names user_a and user_b, each with email and password"
    )]
    Invalid { file: String, line: u64, column: u64, problem: String },
    #[error("read accounts {file}: {problem}")]
    Unusable { file: String, problem: String },
}

impl Accounts {
    /// Reads two accounts from the text of a YAML file; `file_name` is for messages only.
    pub fn load(text: &str, file_name: &str) -> Result<Self, AccountsError> {
        let file = file_name.to_owned();
        if text.len() > MAX_ACCOUNTS_BYTES {
            return Err(AccountsError::TooLarge { file, bytes: text.len() });
        }
        let accounts: Self = yaml::read(text, MAX_NODES).map_err(|refusal| AccountsError::Invalid {
            file: file.clone(),
            line: refusal.line,
            column: refusal.column,
            problem: without_foreign_names(&refusal.problem),
        })?;
        match accounts.fault() {
            None => Ok(accounts),
            Some(problem) => Err(AccountsError::Unusable { file, problem: problem.to_owned() }),
        }
    }

    fn fault(&self) -> Option<&'static str> {
        let texts = [&self.user_a.email, &self.user_a.password, &self.user_b.email, &self.user_b.password];
        if texts.iter().any(|text| text.trim().is_empty()) {
            return Some("an email or a password is empty; fill it in");
        }
        let same = self.user_a.email.trim().eq_ignore_ascii_case(self.user_b.email.trim());
        same.then_some("user_a and user_b are the same account; what one user can see of another needs two")
    }
}

/// A message quotes names it does not know, and in a file that is written wrongly such a name may be a password.
fn without_foreign_names(message: &str) -> String {
    let parts = message.split('`').enumerate().map(|(number, part)| match number % 2 {
        1 if !FIELDS.contains(&part) => "…",
        _ => part,
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "user_a: { email: ada@crm.test, password: s3cret-a }\nuser_b:\n  email: bob@crm.test\n  password: \"012\"\n";

    fn message(text: &str) -> String {
        Accounts::load(text, "accounts.yaml").err().unwrap().to_string()
    }

    #[test]
    fn two_accounts_are_read_and_texts_stay_texts() {
        let accounts = Accounts::load(GOOD, "accounts.yaml").ok().unwrap();
        assert_eq!((accounts.user_a.password.as_str(), accounts.user_b.password.as_str()), ("s3cret-a", "012"));
    }

    #[test]
    fn mistakes_have_a_place_and_show_no_password() {
        let text = message("user_a: s3cret-a\nuser_b: { email: b, password: c }\n");
        assert!(text.contains("accounts.yaml:1:") && !text.contains("s3cret"), "{text}");
        let text = message("user_a: { email: a@b.test, pasword: s3cret-a }\nuser_b: { email: b, password: c }\n");
        assert!(text.contains("accounts.yaml:1:") && !text.contains("s3cret"), "{text}");
        let text = message("user_a: { email: a@b.test, password: [s3cret-a] }\nuser_b: { email: b, password: c }\n");
        assert!(text.contains("expected") && !text.contains("s3cret"), "{text}");
        let text = message("user_a: { s3cret-a }\nuser_b: { email: b, password: c }\n");
        assert!(text.contains("accounts.yaml:1:") && !text.contains("s3cret"), "{text}");
        assert!(message("user_a: { email: a, password: b }\n").contains("user_b"));
    }

    #[test]
    fn accounts_that_cannot_be_told_apart_or_are_empty_are_refused() {
        assert!(
            message("user_a: { email: A@x.y, password: p }\nuser_b: { email: a@x.y, password: q }")
                .contains("same account")
        );
        assert!(message("user_a: { email: '', password: p }\nuser_b: { email: a@x.y, password: q }").contains("empty"));
    }

    #[test]
    fn alias_bombs_and_large_files_are_refused() {
        let bomb = format!("user_a: &a {{ email: &b a, password: *b }}\nuser_b: *a\nuser_c: [{}]", "*a, ".repeat(100));
        assert!(message(&bomb).contains("accounts.yaml:"), "{}", message(&bomb));
        assert!(message(&"#".repeat(MAX_ACCOUNTS_BYTES + 1)).contains("shorten it"));
    }
}
