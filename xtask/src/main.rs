//! The project's own commands. `cargo xtask` without a word lists them.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is a command-line program")]

mod arguments;
mod bench;
mod bless;
mod calendar;
mod call;
mod check;
mod demo;
mod docs;
mod failure;
mod fuzz;
mod json;
mod machine;
mod mirror;
mod project;
mod release;
mod results;
mod running;
mod serve;
mod services;
mod setup;
mod site;
mod soak;
mod tidy;
mod verdict;
mod wasm;

use arguments::Arguments;
use failure::{Done, Failure};
use std::process::ExitCode;

struct Command {
    name: &'static str,
    summary: &'static str,
    run: fn(Arguments) -> Done,
}

const COMMANDS: [Command; 13] = [
    Command {
        name: "setup",
        summary: "install what is missing: Chromium, Node, bubblewrap, the instruments, the quiz page's script and weights",
        run: setup::run,
    },
    Command { name: "demo", summary: "set up, build, score the sample app and write its report", run: demo::run },
    Command { name: "mirror", summary: "the site scores itself and publishes the report on itself", run: mirror::run },
    Command { name: "test", summary: "set up, then every check and test; what CI runs", run: check::run },
    Command { name: "tidy", summary: "check the architecture's invariants in the sources", run: tidy::run },
    Command {
        name: "docs",
        summary: "regenerate METHODOLOGY.md and benchmarks/README.md; --check compares the former",
        run: docs::run,
    },
    Command {
        name: "bless",
        summary: "accept the present snapshots, schema and methodology as right",
        run: bless::run,
    },
    Command {
        name: "bench",
        summary: "measure, interleaved with the peer or bare tools; --only page,zip,backend,source,scan,rescore,analysis,observation,walks,turnover,site,index,quiz-server,quiz-extraction,quiz-page --pairs N",
        run: bench::run,
    },
    Command {
        name: "soak",
        summary: "the long tests; --only repeats,kills,c4,mutants,jobs,tasks,evaluations,backends --task NAME,… --repeats N --kills N",
        run: soak::run,
    },
    Command { name: "fuzz", summary: "texts at random for the extraction of the quiz; --minutes N", run: fuzz::run },
    Command {
        name: "release",
        summary: "make the archive and its checksums under dist/ and prove it works",
        run: release::run,
    },
    Command {
        name: "serve",
        summary: "serve a bundled app, or `hostile`; --secured adds the six headers",
        run: serve::run,
    },
    Command { name: "help", summary: "list these commands", run: help },
];

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_else(|| "help".to_owned());
    match dispatch(&name, Arguments::new(words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message.is_empty() {
                eprintln!("xtask {name}: {}", failure.message);
            }
            ExitCode::from(failure.code)
        }
    }
}

fn dispatch(name: &str, arguments: Arguments) -> Done {
    let name = if matches!(name, "--help" | "-h") { "help" } else { name };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        return Err(Failure::usage(format!("there is no command `{name}`; `cargo xtask help` lists them")));
    };
    if arguments.asks_for_help() {
        println!("cargo xtask {:<9} {}", command.name, command.summary);
        return Ok(());
    }
    (command.run)(arguments)
}

fn help(arguments: Arguments) -> Done {
    arguments.finish()?;
    println!("Usage: cargo xtask <command>\n");
    for command in &COMMANDS {
        println!("  {:<9} {}", command.name, command.summary);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_command_is_bad_usage() {
        let failure = dispatch("tets", Arguments::new(std::iter::empty())).unwrap_err();
        assert_eq!(failure.code, 2);
        assert!(failure.message.contains("`tets`"), "{}", failure.message);
    }

    #[test]
    fn command_names_are_distinct() {
        let mut names: Vec<_> = COMMANDS.iter().map(|command| command.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COMMANDS.len());
    }
}
