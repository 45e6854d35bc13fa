//! Row-level security in SQL files: tables that lack it, statements that switch it off, policies that let everybody write.
//!
//! What counts is the state after all files in the order of their names, which is the order in which migrations run.

use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What one statement does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A table is made.
    Created(String),
    /// A table is dropped.
    Dropped(String),
    /// Row-level security is switched on.
    Enabled(String),
    /// Row-level security is switched off.
    Disabled(String),
    /// A loop switches it on for tables by computed names.
    EnabledByLoop,
    /// A policy lets everybody change rows.
    OpenPolicy(Policy),
    /// A policy is dropped.
    DroppedPolicy(Policy),
}

/// A policy by what tells it from others: its table, and its name there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    table: String,
    name: String,
}

/// What a file does, with the bytes where it does it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statements {
    /// In order.
    pub changes: Vec<(usize, Change)>,
    /// It speaks of what only Supabase has.
    pub names_supabase: bool,
}

/// Statements looked at in one file.
const MAX_STATEMENTS: usize = 20_000;

static CREATE: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?i)^\s*create\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?([\w".]+)"#));
static DROP: LazyLock<Regex> = LazyLock::new(|| regex(r#"(?i)^\s*drop\s+table\s+(?:if\s+exists\s+)?([\w".]+)"#));
static ROW_LEVEL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?i)^\s*alter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?([\w".]+)\s+(enable|disable|force)\s+row\s+level\s+security"#,
    )
});
static POLICY: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?is)^\s*create\s+policy\s+("(?:[^"]|"")*"|\w+)\s+on\s+([\w".]+)(.*)$"#));
static DROP_POLICY: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?i)^\s*drop\s+policy\s+(?:if\s+exists\s+)?("(?:[^"]|"")*"|\w+)\s+on\s+([\w".]+)"#));
static COMMAND: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\bfor\s+(all|select|insert|update|delete)\b"));
static EVERYBODY: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)\b(using|check)\s*\(\s*\(?\s*(true|1\s*=\s*1)\s*\)?\s*\)"));
static SERVICE: LazyLock<Regex> = LazyLock::new(|| regex(r"(?i)\bto\s+(service_role|postgres|supabase_admin)\b"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is fixed")
}

/// Reads a file.
pub fn read(text: &str) -> Statements {
    let mut found = Statements::default();
    for (at, statement) in statements(text).into_iter().take(MAX_STATEMENTS) {
        let lower = statement.to_ascii_lowercase();
        found.names_supabase |=
            ["auth.uid()", "auth.users", "auth.jwt()", "auth.role()", "to anon", "to authenticated"]
                .iter()
                .any(|word| lower.contains(word));
        if let Some(change) = change(&statement, &lower) {
            let lead = statement.len() - statement.trim_start().len();
            found.changes.push((at + lead, change));
        }
    }
    found
}

fn change(statement: &str, lower: &str) -> Option<Change> {
    let table = |captures: regex::Captures<'_>| name_of(captures.get(1).map_or("", |name| name.as_str()));
    if let Some(captures) = CREATE.captures(statement) {
        return table(captures).map(Change::Created);
    }
    if let Some(captures) = DROP.captures(statement) {
        return table(captures).map(Change::Dropped);
    }
    if let Some(captures) = ROW_LEVEL.captures(statement) {
        let off = captures.get(2).is_some_and(|word| word.as_str().eq_ignore_ascii_case("disable"));
        return table(captures).map(if off { Change::Disabled } else { Change::Enabled });
    }
    if let Some(captures) = POLICY.captures(statement) {
        return lets_everybody_write(&captures[3]).then(|| Change::OpenPolicy(policy(&captures)));
    }
    if let Some(captures) = DROP_POLICY.captures(statement) {
        return Some(Change::DroppedPolicy(policy(&captures)));
    }
    let computed = lower.contains("execute") && lower.contains("enable row level security");
    computed.then_some(Change::EnabledByLoop)
}

/// Tables of all schemas count here, for files are stored in one of another schema. A name in quotes keeps its capitals.
fn policy(captures: &regex::Captures<'_>) -> Policy {
    let (name, table) = (&captures[1], captures[2].replace('"', "").to_ascii_lowercase());
    let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    Policy {
        table: table.strip_prefix("public.").unwrap_or(&table).to_owned(),
        name: quoted.map_or_else(|| name.to_ascii_lowercase(), str::to_owned),
    }
}

/// Anybody may add a row of a contact form, so inserting alone is left to the app.
fn lets_everybody_write(rest: &str) -> bool {
    let command = COMMAND.captures(rest).map_or_else(|| "all".to_owned(), |captures| captures[1].to_ascii_lowercase());
    let writes = ["all", "update", "delete"].contains(&command.as_str());
    writes && EVERYBODY.is_match(rest) && !SERVICE.is_match(rest)
}

/// The table's name without quotes and schema. Tables of other schemas are not served to browsers.
fn name_of(written: &str) -> Option<String> {
    let plain = written.replace('"', "").to_ascii_lowercase();
    match plain.rsplit_once('.') {
        Some(("public", table)) => Some(table.to_owned()),
        Some(_) => None,
        None => (!plain.is_empty()).then_some(plain),
    }
}

/// Splits at semicolons outside strings, names in quotes, comments and dollar quotes. Comments become spaces, so that bytes keep their places.
fn statements(text: &str) -> Vec<(usize, String)> {
    let bytes = text.as_bytes();
    let mut blank = bytes.to_vec();
    let mut cuts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = match rest {
            [b'-', b'-', ..] => wipe(&mut blank, at, rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())),
            [b'/', b'*', ..] => wipe(&mut blank, at, find(rest, b"*/").map_or(rest.len(), |end| end + 2)),
            // A quote that is doubled ends here and begins again, which comes to the same.
            [b'\'', ..] => rest[1..].iter().position(|byte| *byte == b'\'').map_or(rest.len(), |end| end + 2),
            [b'"', ..] => quoted_name(rest),
            [b'$', ..] => dollar_quoted(rest),
            [b';', ..] => {
                cuts.push(at);
                1
            }
            _ => 1,
        };
        at += length.max(1);
    }
    cuts.push(bytes.len());
    let mut start = 0;
    cuts.into_iter()
        .map(|end| {
            let statement = (start, String::from_utf8_lossy(&blank[start..end]).into_owned());
            start = (end + 1).min(bytes.len());
            statement
        })
        .filter(|(_, statement)| !statement.trim().is_empty())
        .collect()
}

fn wipe(blank: &mut [u8], at: usize, length: usize) -> usize {
    blank[at..at + length].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    length
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// Length of a name in quotes, which ends on its line, or 1 when it is none.
fn quoted_name(rest: &[u8]) -> usize {
    let end = rest.iter().skip(1).position(|byte| matches!(byte, b'"' | b'\n'));
    end.filter(|end| rest[end + 1] == b'"').map_or(1, |end| end + 2)
}

/// Length of `$tag$ … $tag$`, or 1 when it is no such quote.
fn dollar_quoted(rest: &[u8]) -> usize {
    let Some(end) = rest.iter().skip(1).take(64).position(|byte| *byte == b'$').map(|end| end + 2) else { return 1 };
    let tag = &rest[..end];
    if !tag[1..end - 1].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        return 1;
    }
    find(&rest[end..], tag).map_or(rest.len(), |close| end + close + tag.len())
}

/// A fault, in which file and where.
pub type Fault = (usize, usize, &'static str);

/// Runs all files in order and tells what is left open: index of the file, byte, rule.
pub fn judge(files: &[&Statements], uses_supabase: bool) -> Vec<Fault> {
    let mut tables: BTreeMap<&str, (usize, usize, bool)> = BTreeMap::new();
    let mut off: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut open: BTreeMap<&str, BTreeMap<&str, (usize, usize)>> = BTreeMap::new();
    let mut by_loop = false;
    for (file, statements) in files.iter().enumerate() {
        for (at, change) in &statements.changes {
            match change {
                Change::Created(table) => {
                    tables.entry(table).or_insert((file, *at, false));
                }
                Change::Dropped(table) => {
                    tables.remove(table.as_str());
                    off.remove(table.as_str());
                    open.remove(table.as_str());
                }
                Change::Enabled(table) => {
                    off.remove(table.as_str());
                    tables.entry(table).and_modify(|state| state.2 = true).or_insert((file, *at, true));
                }
                Change::Disabled(table) => {
                    off.insert(table, (file, *at));
                }
                Change::EnabledByLoop => by_loop = true,
                Change::OpenPolicy(policy) => {
                    open.entry(&policy.table).or_default().entry(&policy.name).or_insert((file, *at));
                }
                Change::DroppedPolicy(policy) => {
                    open.get_mut(policy.table.as_str()).and_then(|named| named.remove(policy.name.as_str()));
                }
            }
        }
    }
    let policies = open.values().flat_map(BTreeMap::values);
    let mut faults: Vec<Fault> = policies.map(|(file, at)| (*file, *at, "supabase_policy_open")).collect();
    faults.extend(off.values().map(|(file, at)| (*file, *at, "supabase_rls_disabled")));
    if uses_supabase && !by_loop {
        let missing = tables.iter().filter(|(table, (_, _, enabled))| !enabled && !off.contains_key(*table));
        faults.extend(missing.map(|(_, (file, at, _))| (*file, *at, "supabase_rls_missing")));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(files: &[&str]) -> Vec<&'static str> {
        let read: Vec<_> = files.iter().map(|text| read(text)).collect();
        let mut rules: Vec<_> =
            judge(&read.iter().collect::<Vec<_>>(), true).into_iter().map(|fault| fault.2).collect();
        rules.sort_unstable();
        rules
    }

    #[test]
    fn the_state_after_all_migrations_counts() {
        assert_eq!(rules(&["create table a (id int);"]), ["supabase_rls_missing"]);
        assert!(
            rules(&["create table a (id int);", "alter table \"public\".\"a\" enable row level security;"]).is_empty()
        );
        assert_eq!(
            rules(&["alter table a enable row level security;", "alter table a disable row level security;"]),
            ["supabase_rls_disabled"]
        );
        assert!(rules(&["create table a (id int); drop table a;"]).is_empty());
    }

    #[test]
    fn comments_strings_and_functions_are_not_statements() {
        assert!(rules(&["-- create table a (id int);\n/* alter table a disable row level security; */ select 'create table b (id int);';"]).is_empty());
        assert!(
            rules(&["create function f() returns void as $$ begin create table c (id int); end $$ language plpgsql;"])
                .is_empty()
        );
        assert!(rules(&["create table a (id int); do $$ begin execute format('alter table %I enable row level security', t); end $$;"]).is_empty());
        assert!(rules(&["create table private.audit (id int);"]).is_empty());
    }

    #[test]
    fn an_apostrophe_or_a_semicolon_in_the_name_of_a_policy_hides_nothing_below_it() {
        for name in ["Users can edit their team's profile", "a; b -- c", "say \"\"it's mine\"\" /* now"] {
            let policy = format!("create policy \"{name}\" on profiles for update using (auth.uid() = id);");
            let rest = "alter table profiles enable row level security; \
                create policy \"Public read\" on posts for select using (true);";
            assert!(rules(&["create table profiles (id uuid);", &policy, rest]).is_empty(), "{name}");
            let open = policy.replace("auth.uid() = id", "true");
            let both = format!("create table profiles (id uuid); {open} {rest}");
            assert_eq!(rules(&[&both]), ["supabase_policy_open"], "{name}");
            assert!(rules(&[&both, &format!("drop policy \"{name}\" on profiles;")]).is_empty(), "{name}");
        }
        assert_eq!(
            rules(&["comment on table a is 'an inch: 1\"';\ncreate table b (id int); -- \""]),
            ["supabase_rls_missing"]
        );
        assert_eq!(rules(&["select 1\";\ncreate table b (id int);"]), ["supabase_rls_missing"], "no name ends there");
    }

    #[test]
    fn a_policy_is_open_when_everybody_may_change_rows() {
        let open =
            |policy: &str| read(policy).changes.iter().any(|(_, change)| matches!(change, Change::OpenPolicy(_)));
        assert!(
            open("create policy \"x\" on t for all using (true);")
                && open("create policy x on t using ( true ) with check ( true );")
        );
        assert!(open("create policy x on t for update to authenticated using (true);"));
        assert!(!open("create policy x on t for select using (true);"));
        assert!(!open("create policy x on t for insert with check (true);"));
        assert!(!open("create policy x on t for all to service_role using (true);"));
        assert!(!open("create policy x on t for all using (auth.uid() = owner);"));
    }

    #[test]
    fn an_open_policy_counts_until_it_or_its_table_is_dropped() {
        let open = "create policy \"All\" on t for all using (true);";
        assert_eq!(rules(&[open, "drop policy \"All\" on u; drop policy all on t;"]), ["supabase_policy_open"]);
        for later in [
            "drop policy \"All\" on t;",
            "DROP POLICY IF EXISTS \"All\"\n  ON \"public\".\"T\" CASCADE;",
            "drop table if exists public.t;",
        ] {
            assert!(rules(&[open, later]).is_empty(), "{later}");
        }
        assert_eq!(rules(&[open, "drop policy \"All\" on t;", open]), ["supabase_policy_open"]);
        assert_eq!(rules(&["drop policy if exists Mine on t; create policy mine on t using (true);"]).len(), 1);
        assert_eq!(rules(&["create policy a on storage.objects for delete using (true);"]), ["supabase_policy_open"]);
    }
}
