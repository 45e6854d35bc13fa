//! Looking at a page: everything that is rendered, in all its frames and shadow roots, as one tree.

use benchwright_browser::{BrowserError, Frame, Page};
use benchwright_domain::vibe::trace::{Node, Sight, TRACE_FORMAT};
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

const SCRIPT: &str = include_str!("scripts/sight.js");

/// Elements of a page that are read; a page with more is cut.
const MOST_ELEMENTS: usize = 20_000;
/// Characters of one text.
const LONGEST_TEXT: usize = 4_000;
/// How long reading one frame may take, and how long to wait for its answer.
const SCRIPT_MILLISECONDS: u64 = 5_000;
const LIMIT: Duration = Duration::from_secs(30);
/// Frames within frames that are read, and how many in all.
const MOST_DEPTH: usize = 6;
const MOST_FRAMES: usize = 30;
/// How often a page is asked again that went away while it was read.
const TRIES: usize = 4;

/// Looks at pages and numbers what it sees, so that no reference ever means two things in one walk.
#[derive(Debug)]
pub struct Eyes {
    next: u64,
    last: Option<Sight>,
}

impl Default for Eyes {
    fn default() -> Self {
        Self { next: 1, last: None }
    }
}

#[derive(Deserialize)]
struct Reading {
    next: u64,
    cut: bool,
    root: Node,
    title: String,
    url: String,
    scrolled: (f64, f64),
    page: (f64, f64),
}

/// What is left of the limits while the frames of a page are read.
struct Room {
    elements: usize,
    frames: usize,
}

impl Eyes {
    /// The page as it is now. A page that shows a dialog of the browser, or opens one while it is read, cannot be read: it is seen as it
    /// was before.
    pub async fn look(&mut self, page: &Page, tabs: &[String]) -> Result<Sight, BrowserError> {
        tokio::select! {
            biased;
            () = page.until_dialog() => {}
            sight = self.read_anew(page, tabs) => return sight,
        }
        let dialog = page.open_dialog().map(|dialog| dialog.text);
        Ok(Sight { dialog, tabs: tabs.to_vec(), ..self.before_dialog(page) })
    }

    /// Reads again what went away meanwhile.
    async fn read_anew(&mut self, page: &Page, tabs: &[String]) -> Result<Sight, BrowserError> {
        for _ in 1..TRIES {
            match self.read(page, tabs).await {
                Err(error) if is_passing(&error) => tokio::time::sleep(Duration::from_millis(100)).await,
                other => return other,
            }
        }
        self.read(page, tabs).await
    }

    fn before_dialog(&self, page: &Page) -> Sight {
        self.last.clone().unwrap_or_else(|| empty(page))
    }

    async fn read(&mut self, page: &Page, tabs: &[String]) -> Result<Sight, BrowserError> {
        let mut room = Room { elements: MOST_ELEMENTS, frames: MOST_FRAMES };
        let reading = self.frame(&page.main_frame(), (0.0, 0.0), MOST_DEPTH, &mut room).await?;
        let sight = Sight {
            format: TRACE_FORMAT,
            url: reading.url,
            title: reading.title,
            tabs: tabs.to_vec(),
            dialog: None,
            scrolled: reading.scrolled,
            page: reading.page,
            root: reading.root,
            cut: reading.cut,
        };
        self.last = Some(sight.clone());
        Ok(sight)
    }

    async fn frame(
        &mut self,
        frame: &Frame,
        offset: (f64, f64),
        depth: usize,
        room: &mut Room,
    ) -> Result<Reading, BrowserError> {
        room.frames = room.frames.saturating_sub(1);
        // Without closed roots the page can still be read.
        let _ = frame.adopt_closed_roots(LIMIT).await;
        let is_main = frame.parent().is_none();
        let argument = json!({
            "next": self.next,
            "most": room.elements,
            "longest": LONGEST_TEXT,
            "milliseconds": SCRIPT_MILLISECONDS,
            "prefix": if is_main { String::new() } else { format!("f{}", frame.sequence()) },
            // The main frame is measured from the top of the page, others from where their window begins on it.
            "offset": { "x": offset.0, "y": offset.1, "own": i32::from(is_main) },
        });
        let mut reading: Reading = frame.evaluate_with_engine(SCRIPT, &argument, LIMIT).await?;
        self.next = reading.next.max(self.next);
        room.elements = room.elements.saturating_sub(count(&reading.root));
        let mut inside = Vec::new();
        frames_in(&mut reading.root, &mut inside);
        for node in inside {
            if depth == 0 || room.frames == 0 || room.elements == 0 {
                reading.cut = true;
                break;
            }
            let Some(reference) = &node.reference else { continue };
            let child = frame.frame_within(&format!("seen={reference}"), LIMIT).await;
            let Ok(Some(child)) = child else { continue };
            let corner = node.place.as_ref().map_or(offset, |place| (place.x, place.y));
            // A frame that cannot be read (hung, gone meanwhile) stays empty.
            if let Ok(read) = Box::pin(self.frame(&child, corner, depth - 1, room)).await {
                node.children = read.root.children;
            }
        }
        Ok(reading)
    }
}

/// Whether an error is only the page's going somewhere else.
fn is_passing(error: &BrowserError) -> bool {
    matches!(error, BrowserError::Navigated | BrowserError::Refused { .. } | BrowserError::Script { .. })
}

fn empty(page: &Page) -> Sight {
    Sight {
        format: TRACE_FORMAT,
        url: page.url(),
        title: String::new(),
        tabs: Vec::new(),
        dialog: None,
        scrolled: (0.0, 0.0),
        page: (0.0, 0.0),
        root: Node { role: "document".to_owned(), ..Node::default() },
        cut: false,
    }
}

fn count(node: &Node) -> usize {
    1 + node.children.iter().map(count).sum::<usize>()
}

fn frames_in<'a>(node: &'a mut Node, found: &mut Vec<&'a mut Node>) {
    if node.role == "iframe" {
        found.push(node);
        return;
    }
    for child in &mut node.children {
        frames_in(child, found);
    }
}
