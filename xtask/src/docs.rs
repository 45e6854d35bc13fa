//! `cargo xtask docs`: METHODOLOGY.md from the scorers' own documentation and from the newest measurement of C4's noise.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::failure::{Done, Failure, Naming};
use crate::json::Json;
use crate::{project, results};
use std::fs;

/// What the binary tells about C4's noise, made here because only dated results know it.
const NOISE: &str = "crates/cli/src/methodology_noise.md";

/// Also renews the page over the dated benchmark results, unless it only checks.
pub fn run(mut arguments: Arguments) -> Done {
    let only_check = arguments.flag("--check");
    arguments.finish()?;
    if !only_check {
        results::renew_summary()?;
    }
    put(NOISE, &noise(results::newest("c4")?.as_ref()), only_check)?;
    let methodology = Call::cargo("run --quiet --package benchwright -- explain --methodology").text()?;
    put("METHODOLOGY.md", &methodology, only_check)
}

/// That what only dated results know is up to date. METHODOLOGY.md itself is compared by a test of the program, which needs no second
/// build of it.
pub fn check_noise() -> Done {
    put(NOISE, &noise(results::newest("c4")?.as_ref()), true)
}

fn put(name: &str, fresh: &str, only_check: bool) -> Done {
    let file = project::root().join(name);
    if fs::read_to_string(&file).is_ok_and(|present| present == fresh) {
        println!("docs: {name} is up to date");
        return Ok(());
    }
    if only_check {
        return Err(Failure::check(format!("{name} differs from what it is made from; run `cargo xtask docs`")));
    }
    fs::write(&file, fresh).naming(&format!("write {name}"))?;
    println!("docs: wrote {name}");
    Ok(())
}

fn noise(result: Option<&Json>) -> String {
    let heading = "## How much C4 varies\n\n";
    let Some(result) = result else {
        return format!("{heading}Not measured yet: `cargo xtask soak --only c4` does.\n");
    };
    let table = results::table(result);
    let (date, about) = (result.text("date").unwrap_or("undated"), result.text("about").unwrap_or_default());
    let machine = results::machine_line(result);
    format!(
        "{heading}Measured on {date}. {about} {machine}. Nine times of ten a run lies between the 5 % and the 95 % column.\n{table}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_is_told_with_date_machine_and_range() {
        let result = Json::parse(
            r#"{"date": "2026-01-02", "about": "Two pages.", "machine": {"cores": 2, "cpu": "X"},
                "table": {"columns": ["page", "5 %", "95 %"], "rows": [["slipway", 91.5, 97]]}}"#,
        );
        let text = noise(Some(&result.unwrap()));
        assert!(text.contains("Measured on 2026-01-02. Two pages. Machine: 2 cores (X)"), "{text}");
        assert!(text.ends_with("\n| page | 5 % | 95 % |\n|--:|--:|--:|\n| slipway | 91.5 | 97 |\n"), "{text}");
        assert!(noise(None).contains("Not measured yet"));
    }
}
