//! `benchwright doctor`: what is here, what is missing, how to get it.

use super::block_on;
use crate::args::DoctorArguments;
use crate::exit::{self, Failure};
use crate::{calibration, environment};
use benchwright_sandbox::instrument::{Instrument, Role};
use benchwright_sandbox::{Scratch, chromium, machine, process, scratch};
use benchwright_scoring::evidence::lighthouse::AttemptResult;
use benchwright_scoring::gather::lighthouse::{self, Subject};
use benchwright_scoring::request::{Access, Judging, LighthouseSettings, Request};
use std::process::ExitCode;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const CALIBRATION_RUNS: usize = 5;

/// Runs the command.
pub fn run(arguments: &DoctorArguments) -> Result<ExitCode, Failure> {
    if arguments.clean {
        return Ok(clean());
    }
    if arguments.calibrate {
        return block_on(calibrate(arguments))?;
    }
    block_on(examine(arguments))
}

/// One line of the diagnosis: a name, and what was found or what to do.
fn line(name: &str, finding: Result<String, String>) -> bool {
    match finding {
        Ok(text) => {
            println!("  ok       {name:<13} {text}");
            true
        }
        Err(text) => {
            println!("  missing  {name:<13} {text}");
            false
        }
    }
}

async fn examine(arguments: &DoctorArguments) -> ExitCode {
    println!("benchwright {} · methodology {}", env!("CARGO_PKG_VERSION"), benchwright_domain::METHODOLOGY_VERSION);
    let mut whole = line("browser", browser_finding(arguments).await);
    match environment::instruments() {
        Ok(found) => {
            line("instruments", Ok(found.root.display().to_string()));
            for (name, version) in found.versions() {
                line(name, Ok(version.clone()));
            }
        }
        Err(failure) => whole &= line("instruments", Err(failure.to_string())),
    }
    optional(
        "bubblewrap",
        process::system_tool("bwrap").is_some(),
        "confines source tools; apt-get install bubblewrap",
    );
    let fonts = machine::fonts(1000).await;
    optional("fonts", !fonts.is_empty(), "text needs fonts; apt-get install fonts-liberation");
    let facts = machine::facts();
    line("machine", Ok(format!("{} cores, {} MB, {}", facts.cores, facts.memory_mb, facts.cpu_model)));
    match calibration::read() {
        Some(found) => line("calibration", Ok(format!("index {:.0}, {}", found.benchmark_index, found.measured_at))),
        None => optional("calibration", false, "optional: `benchwright doctor --calibrate` on an idle machine"),
    };
    if whole {
        println!("Ready to score.");
        ExitCode::SUCCESS
    } else {
        println!("Something is missing; see above.");
        ExitCode::from(exit::ENVIRONMENT)
    }
}

fn optional(name: &str, there: bool, otherwise: &str) -> bool {
    if there {
        println!("  ok       {name:<13} found");
    } else {
        println!("  note     {name:<13} {otherwise}");
    }
    there
}

async fn browser_finding(arguments: &DoctorArguments) -> Result<String, String> {
    let path = environment::browser(arguments.browser.as_deref()).map_err(|failure| failure.to_string())?;
    let version = chromium::version(&path).await.map_err(|error| format!("failed to {error}"))?;
    let sandbox = if process::is_root() { ", started without its sandbox because you are root" } else { "" };
    Ok(format!("{version} ({}{sandbox})", path.display()))
}

fn clean() -> ExitCode {
    let mut report = scratch::sweep(&environment::scratch_base());
    // A scratch path too long for the browser's sockets makes it use /tmp.
    let fallback = scratch::sweep(std::path::Path::new("/tmp"));
    report.removed_folders.extend(fallback.removed_folders);
    report.ended_processes.extend(fallback.ended_processes);
    report.stuck_folders.extend(fallback.stuck_folders);
    for folder in &report.removed_folders {
        println!("removed {}", folder.display());
    }
    for process in &report.ended_processes {
        println!("ended process {process}");
    }
    for folder in &report.stuck_folders {
        println!("could not remove {}", folder.display());
    }
    if report.removed_folders.is_empty() && report.ended_processes.is_empty() && report.stuck_folders.is_empty() {
        println!("Nothing was left behind.");
    }
    if report.stuck_folders.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(exit::ENVIRONMENT) }
}

async fn calibrate(arguments: &DoctorArguments) -> Result<ExitCode, Failure> {
    let bench = environment::workbench(arguments.browser.as_deref(), &Judging::nobody())?;
    let listener = TcpListener::bind(("127.0.0.1", 0))
        .await
        .map_err(|error| Failure::Environment(format!("cannot listen on loopback: {error}")))?;
    let port = listener.local_addr().map_err(|error| Failure::Environment(error.to_string()))?.port();
    let server = tokio::spawn(serve_blank_page(listener));
    let scratch = Scratch::new(&bench.scratch_base, "calibrate")?;
    let mut instrument = Instrument::start(&bench.instruments, &Role::Lighthouse, &scratch)?;
    let request = calibration_request(port);
    println!("Measuring this machine {CALIBRATION_RUNS} times; leave it alone until it is done.");
    let step = |what: &str| println!("  {what}");
    let access = Access::default();
    let subject = Subject { request: &request, access: &access, bench: &bench, scratch: &scratch, egress: None };
    let measured = lighthouse::measure(subject, &mut instrument, None, &step).await;
    server.abort();
    let measured = measured.map_err(|error| Failure::Environment(error.to_string()))?;
    let samples: Vec<f64> = measured
        .attempts
        .iter()
        .filter_map(|attempt| match &attempt.result {
            AttemptResult::Measured { run } => run.benchmark_index,
            _ => None,
        })
        .collect();
    if samples.len() < CALIBRATION_RUNS {
        return Err(Failure::Environment(format!(
            "only {} of {CALIBRATION_RUNS} measurements succeeded; try again on an idle machine",
            samples.len()
        )));
    }
    let (found, path) = calibration::write(samples, jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string())?;
    println!(
        "Benchmark index {:.0} (median of {:?}), kept in {}",
        found.benchmark_index,
        found.samples,
        path.display()
    );
    Ok(ExitCode::SUCCESS)
}

/// Nothing is judged while calibrating: what is measured is the yardstick itself, so every visit takes it and none is too low.
fn calibration_request(port: u16) -> Request {
    let lighthouse = LighthouseSettings {
        runs: CALIBRATION_RUNS,
        calibrated_index: Some(0.0),
        max_steal_share: 1.0,
        ..LighthouseSettings::default()
    };
    Request { lighthouse, ..Request::new(format!("http://127.0.0.1:{port}/")) }
}

async fn serve_blank_page(listener: TcpListener) {
    const BODY: &str =
        "<!doctype html><html lang=en><title>Calibration page</title><p>Measuring this machine.</p></html>";
    while let Ok((mut stream, _)) = listener.accept().await {
        tokio::spawn(async move {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                BODY.len()
            );
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(BODY.as_bytes()).await;
        });
    }
}
