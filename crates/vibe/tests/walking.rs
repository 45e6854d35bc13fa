//! Pages on which walkers stumble, each walked in a real browser.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod support;

use benchwright_browser::LoadLimits;
use benchwright_domain::vibe::trace::{Action, ActionTrace, FactKind, Target};
use benchwright_domain::vibe::verdict::Mark::{Fail, Pass, Undecided};
use benchwright_sandbox::Instruments;
use benchwright_sandbox::chromium::find;
use benchwright_vibe::evaluate::{Arena, Surroundings};
use benchwright_vibe::reading;
use benchwright_vibe::task::Expectation;
use benchwright_vibe::walk::{Archive, InMemory, Settings, Stage, target};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use support::{House, act, expect, root, see, texts};

const LIMIT: Duration = Duration::from_secs(20);
const SIGHT: &str = include_str!("../src/walk/scripts/sight.js");

fn node<'a>(
    sight: &'a benchwright_domain::vibe::trace::Sight,
    role: &str,
    name: &str,
) -> &'a benchwright_domain::vibe::trace::Node {
    let found: Vec<_> = reading::named(sight, name, |node| node.role == role);
    assert!(!found.is_empty(), "no {role} {name}: {:#?}", sight.root);
    found[0]
}

#[tokio::test]
async fn a_stale_reference_finds_its_element_again_or_nothing() {
    let house = House::build().await;
    let mut stage = house.stage().await;
    stage.perform(&Action::Navigate { url: "stale.html".to_owned() }).await.unwrap();
    let sight = stage.sight().await.unwrap();
    let buttons = reading::named(&sight, "Fell", |node| node.role == "button");
    let old = target::of(&sight, buttons[1]);
    assert_eq!((old.nth, old.within.as_str()), (1, "Beech"));
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let fresh = stage.look().await.unwrap();
    assert!(reading::all(&fresh.root).iter().all(|node| node.reference.as_deref() != Some(&old.reference)));
    let done = stage.perform(&Action::Click { target: old.clone() }).await.unwrap();
    assert_eq!(done.failed, None);
    assert!(reading::shows(&stage.look().await.unwrap(), "Beech is felled"));
    let lost = Target { reference: old.reference, ..Target::default() };
    let failed = stage.perform(&Action::Click { target: lost }).await.unwrap().failed;
    assert!(failed.is_some_and(|reason| reason.contains("not there any more")));
    stage.close().await.unwrap();
    house.leave().await;
}

#[tokio::test]
async fn a_click_without_effect_is_seen_as_such_however_often_it_is_repeated() {
    let house = House::build().await;
    let repeated = vec![
        act("Click \"Save\"."),
        act("Click \"Save\"."),
        act("Click \"Stay\"."),
        see("Expect \"Saved\".", &["Saved"]),
    ];
    house.expects("dead.html", repeated, &[Fail, Fail, Pass, Fail]).await;
    house.leave().await;
}

#[tokio::test]
async fn a_drop_down_that_the_page_draws_is_opened_and_chosen_in() {
    let house = House::build().await;
    let closed = expect("Expect that \"Large\" is not there.", Expectation::Absent("Large".to_owned()));
    let chosen = see("Choose \"Large\" in \"Size\" and expect \"Size is Large\".", &["Size is Large"]);
    let refused = act("Choose \"Huge\" in \"Size\".");
    house.expects("dropdown.html", vec![closed, chosen, refused], &[Pass, Pass, Fail]).await;
    house.leave().await;
}

#[tokio::test]
async fn shadow_roots_are_seen_and_used_open_or_closed() {
    let house = House::build().await;
    let say = |mode: &str| {
        see(&format!("Type \"hey\" into \"Word {mode}\" and click \"Say {mode}\"."), &[&format!("{mode} says hey")])
    };
    house.expects("shadow.html", vec![say("open"), say("closed")], &[Pass, Pass]).await;
    house.leave().await;
}

#[tokio::test]
async fn frames_are_seen_and_used() {
    let house = House::build().await;
    let say = see("Type \"hey\" into \"Word\" and click \"Say\".", &["Outside", "Inside", "heard hey"]);
    house.expects("frames.html", vec![say], &[Pass]).await;
    house.leave().await;
}

#[tokio::test]
async fn an_endless_list_is_followed_until_the_entry_is_there_and_no_further_than_it_grows() {
    let house = House::build().await;
    let far = see("Click \"Choose\" for \"Entry 130\" and expect \"chosen 130\".", &["chosen 130"]);
    house.expects("endless.html", vec![far, act("Click \"Choose\" for \"Entry 999\".")], &[Pass, Fail]).await;
    house.leave().await;
}

#[tokio::test]
async fn files_are_uploaded_and_downloaded() {
    let house = House::build().await;
    let given = see("Upload \"cat.png\" into \"Picture\".", &["Got cat.png, image/png"]);
    house.expects("upload.html", vec![given], &[Pass]).await;
    let mut stage = house.stage().await;
    stage.perform(&Action::Navigate { url: "download.html".to_owned() }).await.unwrap();
    let sight = stage.sight().await.unwrap();
    let target = target::of(&sight, node(&sight, "link", "Export"));
    assert_eq!(stage.perform(&Action::Download { target }).await.unwrap().failed, None);
    let facts = stage.take_facts();
    assert!(facts.iter().any(|fact| fact.kind == FactKind::Download && fact.text == "list.csv"), "{facts:?}");
    stage.close().await.unwrap();
    house.leave().await;
}

#[tokio::test]
async fn a_file_is_given_once_however_long_the_page_takes_to_take_it() {
    let house = House::build().await;
    let mut stage = house.stage().await;
    stage.perform(&Action::Navigate { url: "upload.html".to_owned() }).await.unwrap();
    let sight = stage.sight().await.unwrap();
    let target = target::of(&sight, node(&sight, "button", "Scan"));
    let upload = Action::Upload { target, files: vec!["scan.pdf".to_owned()] };
    assert_eq!(stage.perform(&upload).await.unwrap().failed, None);
    let after = stage.sight().await.unwrap();
    assert!(reading::shows(&after, "1 kept: scan.pdf"), "{:#?}", after.root);
    stage.close().await.unwrap();
    house.leave().await;
}

#[tokio::test]
async fn a_new_tab_is_looked_at_and_can_be_left() {
    let house = House::build().await;
    let open = see("Click \"Open map\" and expect \"The map is here\".", &["The map is here"]);
    let back = see("Close the tab and expect \"First tab\".", &["First tab"]);
    let (trace, verdict) = house.walked("tabs.html", vec![open, back]).await;
    assert!(verdict.passes(), "{:#?}", verdict.substeps);
    assert!(trace.substeps[0].facts.iter().any(|fact| fact.kind == FactKind::Tab));
    house.leave().await;
}

#[tokio::test]
async fn dialogs_of_the_browser_are_seen_and_answered() {
    let house = House::build().await;
    let asked = see("Click \"Delete\" for \"Ash\" and expect \"Delete Ash?\".", &["Delete Ash?"]);
    let kept = see("Click \"Cancel\" and expect \"Ash\".", &["Ash"]);
    let gone = expect(
        "Click \"Delete\" for \"Ash\", confirm if you are asked, and expect that \"Ash\" is gone.",
        Expectation::Absent("Ash".to_owned()),
    );
    let told = see("Click \"Tell\" and expect \"Told\".", &["Told"]);
    let (trace, verdict) = house.walked("dialogs.html", vec![asked, kept, gone, told]).await;
    assert!(verdict.passes(), "{:#?}", verdict.substeps);
    let said: Vec<&str> = trace.substeps[1].facts.iter().map(|fact| fact.text.as_str()).collect();
    assert_eq!(said, ["confirm \"Delete Ash?\" was dismissed"]);
    house.leave().await;
}

#[tokio::test]
async fn a_dialog_that_opens_while_the_page_is_read_is_seen_and_can_be_answered() {
    let house = House::build().await;
    let mut stage = house.stage().await;
    stage.perform(&Action::Navigate { url: "dialogs.html".to_owned() }).await.unwrap();
    let before = stage.sight().await.unwrap();
    // Whoever looks now is kept waiting, and then the page asks.
    let ask = "() => { setTimeout(() => { const end = Date.now() + 2000; while (Date.now() < end); alert('Now'); }); }";
    stage.page().evaluate_in_page::<Value>(ask, &Value::Null, LIMIT).await.unwrap();
    let sight = stage.look().await.unwrap();
    assert_eq!((sight.dialog.as_deref(), &sight.root), (Some("Now"), &before.root));
    let answered = stage.perform(&Action::Dialog { accept: true, text: None }).await.unwrap();
    assert_eq!(answered.failed, None);
    assert_eq!(stage.sight().await.unwrap().dialog, None);
    stage.close().await.unwrap();
    house.leave().await;
}

#[tokio::test]
async fn numbers_of_a_reading_whose_answer_was_lost_are_not_given_again() {
    let house = House::build().await;
    let mut stage = house.stage().await;
    let page = stage.page().clone();
    page.goto(&house.url("dialogs.html"), LoadLimits::default()).await.unwrap();
    let lost = json!({
        "next": 1, "most": 1_000, "longest": 1_000, "milliseconds": 5_000, "prefix": "",
        "offset": { "x": 0, "y": 0, "own": 1 },
    });
    page.main_frame().evaluate_with_engine::<Value>(SIGHT, &lost, LIMIT).await.unwrap();
    let add = "() => { const button = document.createElement('button'); button.textContent = 'New'; document.body.prepend(button); }";
    page.evaluate_in_page::<Value>(add, &Value::Null, LIMIT).await.unwrap();
    let sight = stage.look().await.unwrap();
    let new = &node(&sight, "button", "New").reference;
    let same: Vec<&str> = reading::all(&sight.root)
        .into_iter()
        .filter(|node| node.reference == *new)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(same, ["New"]);
    stage.close().await.unwrap();
    house.leave().await;
}

#[tokio::test]
async fn what_lies_under_a_modal_is_not_meant() {
    let house = House::build().await;
    house.expects("modal.html", vec![see("Click \"Save\" and expect \"saved\".", &["saved"])], &[Pass]).await;
    house.leave().await;
}

#[tokio::test]
async fn a_page_that_talks_to_the_judge_changes_nothing() {
    let house = House::build().await;
    let substeps = vec![
        act("Click \"Save\"."),
        see("Expect \"Plant saved\".", &["Plant saved"]),
        act("Expect that the plant is saved."),
        act("Click \"Delete\"."),
    ];
    house.expects("injection.html", substeps, &[Fail, Fail, Undecided, Fail]).await;
    house.leave().await;
}

#[tokio::test]
async fn cards_rows_and_lists_are_told_apart() {
    let house = House::build().await;
    let together = |list: &[&str]| expect("Expect it together.", Expectation::Together(texts(list)));
    let apart = |list: &[&str]| expect("Expect it apart.", Expectation::Apart(texts(list)));
    let substeps = vec![
        together(&["Lamp", "Anke Graf", "Requested"]),
        together(&["Anke Graf", "Approved"]),
        apart(&["Anke Graf", "Approved"]),
        apart(&["Crane", "Approve"]),
        together(&["Days left", "25"]),
        together(&["Anke Graf", "3"]),
        expect("Expect no sound.", Expectation::Absent("Sound".to_owned())),
        expect("Expect no secret.", Expectation::Absent("Secret".to_owned())),
        act("Click \"Approve\" for \"Crane\"."),
        see("Click \"Approve\" for \"Lamp\".", &["Lamp approved"]),
    ];
    house.expects("cards.html", substeps, &[Pass, Fail, Pass, Pass, Pass, Fail, Pass, Pass, Fail, Pass]).await;
    house.leave().await;
}

#[tokio::test]
async fn what_pages_let_drag_is_dragged_and_dropped_with_its_data() {
    let house = House::build().await;
    let mut stage = house.stage().await;
    stage.perform(&Action::Navigate { url: "drag.html".to_owned() }).await.unwrap();
    let sight = stage.sight().await.unwrap();
    let find = |name: &str| target::of(&sight, reading::named(&sight, name, |node| node.reference.is_some())[0]);
    let drag = Action::Drag { from: find("Paint the fence"), to: find("Done") };
    assert_eq!(stage.perform(&drag).await.unwrap().failed, None);
    let after = stage.look().await.unwrap();
    assert!(reading::shows(&after, "The fence is done"), "{:#?}", after.root);
    stage.close().await.unwrap();
    house.leave().await;
}

#[tokio::test]
async fn a_message_that_hovers_over_the_page_is_no_row_of_it() {
    let house = House::build().await;
    let moved = |what: Expectation| expect("Click \"Move\" for \"Fern\" and expect \"Kitchen\" at \"Fern\".", what);
    let together = Expectation::Together(texts(&["Fern", "Kitchen"]));
    house.expects("toast.html", vec![moved(together)], &[Fail]).await;
    house.expects("toast.html", vec![moved(Expectation::Text("Kitchen".to_owned()))], &[Pass]).await;
    house.leave().await;
}

#[tokio::test]
async fn a_page_with_nothing_on_it_proves_nothing() {
    let house = House::build().await;
    let gone = |what: Expectation| expect("Click \"Delete\" and expect that \"Fern\" is gone.", what);
    house.expects("blank.html", vec![gone(Expectation::Absent("Fern".to_owned()))], &[Fail]).await;
    house.expects("blank.html", vec![gone(Expectation::Apart(texts(&["Fern", "Ivy"])))], &[Fail]).await;
    house.leave().await;
}

async fn click(stage: &mut Stage, name: &str) -> ActionTrace {
    let sight = stage.sight().await.unwrap();
    let target = target::of(&sight, node(&sight, "button", name));
    stage.perform(&Action::Click { target }).await.unwrap()
}

#[tokio::test]
async fn what_changes_a_moment_after_a_click_is_seen_and_photographed_changed() {
    let house = House::build().await;
    let seen = [
        ("At once", "Day"),
        ("Soon", "Day"),
        ("Later", "Day"),
        ("Without the tree", "The sun rose"),
        ("Slowly", "Dusk"),
    ];
    for (name, text) in seen {
        let mut stage = house.stage_with(Settings::default()).await;
        stage.perform(&Action::Navigate { url: "late.html".to_owned() }).await.unwrap();
        assert_eq!(click(&mut stage, name).await.failed, None);
        let sight = stage.sight().await.unwrap();
        assert!(reading::shows(&sight, text), "{name}: {:#?}", sight.root);
        let kept = stage.keep(&sight).await.unwrap().screenshot.unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
        let later = stage.page().snapshot(Duration::from_secs(20)).await.unwrap();
        assert!(
            house.kept.picture(&kept).unwrap() == later,
            "{name}: the photograph is not of the page as it was seen"
        );
        stage.close().await.unwrap();
    }
    house.leave().await;
}

#[tokio::test]
async fn a_photograph_that_has_grown_old_is_taken_again() {
    let house = House::build().await;
    let mut stage = house.stage_with(Settings::default()).await;
    stage.perform(&Action::Navigate { url: "late.html".to_owned() }).await.unwrap();
    let sight = stage.sight().await.unwrap();
    let night = stage.keep(&sight).await.unwrap().screenshot;
    let wait = Action::Wait { milliseconds: 0, text: None };
    assert_eq!(stage.perform(&wait).await.unwrap().screenshot, night, "nothing has happened");
    let redden = "() => { document.getElementById('sky').style.background = 'red'; }";
    stage.page().evaluate::<Value>(redden, &Value::Null, Duration::from_secs(20)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_ne!(stage.perform(&wait).await.unwrap().screenshot, night, "the sky is red by now");
    assert!(night.is_some());
    stage.close().await.unwrap();
    house.leave().await;
}

/// Ends every process that works in a folder.
fn kill_all_in(folder: &Path) {
    let mark = folder.to_str().unwrap();
    for process in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        if String::from_utf8_lossy(&line).contains(mark) {
            let _ = Command::new("kill").args(["-KILL", process.file_name().to_str().unwrap()]).status();
        }
    }
}

#[tokio::test]
async fn a_browser_that_died_unnoticed_is_started_again_for_the_next_walk() {
    let place = tempfile::tempdir().unwrap();
    let surroundings = Surroundings {
        chromium: find(None, std::env::var_os("PATH").as_deref()).unwrap(),
        instruments: Instruments::locate(&root().join("instruments")).unwrap(),
        scratch_base: place.path().to_owned(),
        as_root: true,
    };
    let arena = Arena::new(surroundings, None).await.unwrap();
    let open = || arena.stage("http://127.0.0.1:9", Settings::default(), || Box::new(InMemory::default()));
    let (first, _) = open().await.unwrap();
    kill_all_in(place.path());
    assert!(first.is_connected(), "nobody has noticed");
    let (second, stage) = open().await.unwrap();
    assert!(!first.is_connected() && second.is_connected());
    stage.close().await.unwrap();
    drop(second);
    arena.close().await;
}
