//! Acting on an element: wait until it is visible, enabled, still and not covered, then use real input.

use super::geometry::{Owner, all_visible, cover, in_window, release_all};
use super::{Attempt, Found, Locator};
use crate::error::BrowserError;
use crate::options::ClickOptions;
use crate::page::evaluate::{Argument, Deadline, Invocation, Returned};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// How long to wait for the page's word on where the mouse event went.
const STOP_LIMIT: Duration = Duration::from_secs(5);
/// The least time for input once the element is ready: half a click is worse than a late one, and the time that an element may take to
/// become ready may be over by then.
const INPUT_LIMIT: Duration = Duration::from_secs(10);
/// How long to wait for the page's next turn after an action; a busy page may have none.
const TURN_LIMIT: Duration = Duration::from_millis(500);
/// How long an action waits for the navigation it began.
const FOLLOW_LIMIT: Duration = Duration::from_secs(10);

const STATES: &str = "async function (element, states, visible) { \
    return (await this.checkElementStates(element, states, visible)) ?? null; }";
const INTERCEPT: &str = "function (element, action, point) { \
    return this.setupHitTargetInterceptor(element, action, point, false); }";
const SCROLL: &str = "function (element, options) { element.scrollIntoView({ ...options, behavior: 'instant' }); }";
const FILL: &str = "function (element, text) { return this.fill(element, text); }";
const FOCUS: &str = "function (element) { return this.focusNode(element, true); }";
const RETARGET: &str = "function (element) { return this.retarget(element, 'follow-label'); }";
const SELECT: &str = "function (element, wanted) { \
    return this.selectOptions(element, wanted.map(valueOrLabel => ({ valueOrLabel }))); }";

/// What the mouse does at the point.
#[derive(Clone, Copy)]
enum Pointer {
    Click(ClickOptions),
    Hover,
}

impl Locator {
    pub async fn click(&self, options: ClickOptions) -> Result<(), BrowserError> {
        self.click_where(options).await.map(drop)
    }

    /// Clicks and says where, in CSS pixels of the window.
    pub async fn click_where(&self, options: ClickOptions) -> Result<(f64, f64), BrowserError> {
        self.point_at(Pointer::Click(options), Deadline::after(options.timeout)).await
    }

    pub async fn hover(&self) -> Result<(), BrowserError> {
        self.hover_where().await.map(drop)
    }

    /// Moves the mouse over it and says where, in CSS pixels of the window.
    pub async fn hover_where(&self) -> Result<(f64, f64), BrowserError> {
        self.point_at(Pointer::Hover, Deadline::after(self.limit)).await
    }

    /// Replaces what a field holds.
    pub async fn fill(&self, text: &str) -> Result<(), BrowserError> {
        let deadline = Deadline::after(self.limit);
        self.on_element(deadline, async |found, _| {
            if let Some(obstacle) = found.obstacle(&["visible", "enabled", "editable"], deadline).await? {
                return Ok(Attempt::NotYet(obstacle));
            }
            match found.act(FILL, &[json!(text)], deadline).await?.as_str() {
                Some("needsinput") if text.is_empty() => self.page.press_within("Delete", for_input(deadline)).await?,
                Some("needsinput") => self.page.insert_text(text, for_input(deadline)).await?,
                Some("error:notconnected") => return Ok(Attempt::NotYet(REMOVED.to_owned())),
                _ => {}
            }
            Ok(Attempt::Done(()))
        })
        .await
    }

    /// Gives the element the focus and presses a key or a chord; see [`Page::press`](crate::Page::press).
    pub async fn press(&self, key: &str) -> Result<(), BrowserError> {
        let deadline = Deadline::after(self.limit);
        self.focus_within(deadline).await?;
        self.page.press_within(key, for_input(deadline)).await?;
        self.follow(deadline).await
    }

    /// Gives the element the focus and types, key by key.
    pub async fn type_text(&self, text: &str) -> Result<(), BrowserError> {
        self.focus_within(Deadline::after(self.limit)).await?;
        self.page.type_text(text).await
    }

    pub async fn focus(&self) -> Result<(), BrowserError> {
        self.focus_within(Deadline::after(self.limit)).await
    }

    async fn focus_within(&self, deadline: Deadline) -> Result<(), BrowserError> {
        self.on_element(deadline, async |found, _| {
            let answer = found.ask(FOCUS, &[], deadline).await?;
            Ok(if answer == "done" { Attempt::Done(()) } else { Attempt::NotYet(REMOVED.to_owned()) })
        })
        .await
    }

    /// Ticks or unticks a checkbox, by clicking it if it is not so already.
    pub async fn set_checked(&self, checked: bool) -> Result<(), BrowserError> {
        if self.is_checked().await? != checked {
            self.click(ClickOptions { timeout: self.limit, ..ClickOptions::default() }).await?;
        }
        if self.is_checked().await? == checked {
            return Ok(());
        }
        Err(BrowserError::NotActionable {
            selector: self.selector.clone(),
            reason: "the click did not change its state".to_owned(),
            seconds: self.limit.as_secs_f64(),
        })
    }

    /// Chooses options of a select by value or label; what is selected then.
    pub async fn select_option(&self, wanted: &[&str]) -> Result<Vec<String>, BrowserError> {
        let deadline = Deadline::after(self.limit);
        self.on_element(deadline, async |found, _| {
            if let Some(obstacle) = found.obstacle(&["visible", "enabled"], deadline).await? {
                return Ok(Attempt::NotYet(obstacle));
            }
            match found.act(SELECT, &[json!(wanted)], deadline).await? {
                Value::String(problem) => Ok(Attempt::NotYet(problem.trim_start_matches("error:").to_owned())),
                chosen => Ok(Attempt::Done(crate::frame::typed(chosen)?)),
            }
        })
        .await
    }

    /// Gives files to a file field (or to its label). The browser must be able to read the paths.
    pub async fn set_input_files(&self, paths: &[&Path]) -> Result<(), BrowserError> {
        let deadline = Deadline::after(self.limit);
        let files: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        self.on_element(deadline, async |found, _| {
            let Returned::Object(input) = found.ask_for(RETARGET, &[], false, deadline).await? else {
                return Ok(Attempt::NotYet(REMOVED.to_owned()));
            };
            let params = json!({ "files": files, "objectId": input });
            let (session, limit) = (&found.world.session, for_input(deadline).left());
            let answer = self.page.call_session(session, "DOM.setFileInputFiles", params, limit).await;
            found.frame.release(&found.world, &input);
            answer.map(|_| Attempt::Done(()))
        })
        .await
    }

    /// Finds the element for each attempt and lets it go afterwards.
    pub(super) async fn on_element<T>(
        &self,
        deadline: Deadline,
        mut action: impl AsyncFnMut(&Found, usize) -> Result<Attempt<T>, BrowserError>,
    ) -> Result<T, BrowserError> {
        self.until(deadline, async |number| {
            let Some(found) = self.find(deadline).await? else {
                return Ok(Attempt::NotYet("no element matches".to_owned()));
            };
            let outcome = action(&found, number).await;
            found.release();
            outcome
        })
        .await
    }

    async fn point_at(&self, pointer: Pointer, deadline: Deadline) -> Result<(f64, f64), BrowserError> {
        let point = self
            .on_element(deadline, async |found, number| {
                if found.frame.parent().is_some() {
                    // A frame out of sight may not paint, and nothing in it would ever be still.
                    let _ = found.scroll(0, deadline).await;
                }
                let owners = found.owners(deadline).await?;
                let outcome = self.try_pointer(found, &owners, pointer, number, deadline).await;
                release_all(&owners);
                outcome
            })
            .await?;
        self.follow(deadline).await?;
        Ok(point)
    }

    async fn try_pointer(
        &self,
        found: &Found,
        owners: &[Owner],
        pointer: Pointer,
        number: usize,
        deadline: Deadline,
    ) -> Result<Attempt<(f64, f64)>, BrowserError> {
        let (states, kind): (&[&str], _) = match pointer {
            Pointer::Click(_) => (&["visible", "enabled", "stable", "non-inert"], "mouse"),
            Pointer::Hover => (&["visible", "stable"], "hover"),
        };
        if let Some(obstacle) = found.obstacle_within(states, all_visible(owners), deadline).await? {
            return Ok(Attempt::NotYet(obstacle));
        }
        found.scroll(number, deadline).await?;
        let Some(point) = found.clickable_point(deadline).await? else {
            return Ok(Attempt::NotYet("the element is outside of the window".to_owned()));
        };
        // Scrolling may have moved the frames around the element.
        let moved = found.owners(deadline).await?;
        let covered = cover(point, &moved, deadline).await;
        let target = in_window(point, &moved);
        release_all(&moved);
        if let Some(cover) = covered? {
            return Ok(Attempt::NotYet(format!("{cover} covers the frame")));
        }
        let guard = match found.ask_for(INTERCEPT, &[json!(kind), point.json()], false, deadline).await? {
            Returned::Object(guard) => guard,
            Returned::Value(problem) => return Ok(Attempt::NotYet(intercepted(&problem))),
        };
        let deadline = for_input(deadline);
        let performed = match pointer {
            Pointer::Click(options) => {
                self.page.click_at(target.x, target.y, options.button, options.count, deadline).await
            }
            Pointer::Hover => self.page.mouse_move_within(target.x, target.y, deadline).await,
        };
        let landed = found.stop_guard(&guard, deadline).await;
        performed?;
        Ok(landed.map_or(Attempt::Done((target.x, target.y)), |problem| Attempt::NotYet(intercepted(&problem))))
    }

    /// Waits for the document that an action asked for to arrive, so that the next call sees it.
    async fn follow(&self, deadline: Deadline) -> Result<(), BrowserError> {
        // A form is sent by a later task of the page than the one that took the key or the click.
        let turn = "() => new Promise(done => setTimeout(done, 0))";
        let _ = self.page.evaluate::<Value>(turn, &Value::Null, TURN_LIMIT.min(deadline.left())).await;
        let end = tokio::time::Instant::now() + FOLLOW_LIMIT.min(deadline.left());
        let mut changes = self.page.state().changes();
        while self.page.state().inner().leaving && self.page.fault().is_none() {
            if tokio::time::timeout_at(end, changes.changed()).await.is_err() {
                break;
            }
        }
        Ok(())
    }
}

const REMOVED: &str = "the element was removed";

fn for_input(deadline: Deadline) -> Deadline {
    Deadline::after(INPUT_LIMIT.max(deadline.left()))
}

impl Found {
    /// As [`Found::ask`], where the function does what a person would do. It gets the time for that.
    async fn act(&self, function: &str, arguments: &[Value], deadline: Deadline) -> Result<Value, BrowserError> {
        self.ask(function, arguments, for_input(deadline)).await.map_err(BrowserError::while_acting)
    }

    /// What keeps the element from being acted on, if anything.
    async fn obstacle(&self, states: &[&str], deadline: Deadline) -> Result<Option<String>, BrowserError> {
        let owners = self.owners(deadline).await?;
        let visible = all_visible(&owners);
        release_all(&owners);
        self.obstacle_within(states, visible, deadline).await
    }

    async fn obstacle_within(
        &self,
        states: &[&str],
        frames_visible: bool,
        deadline: Deadline,
    ) -> Result<Option<String>, BrowserError> {
        let answer = self.ask(STATES, &[json!(states), json!(frames_visible)], deadline).await?;
        Ok(match (&answer, answer["missingState"].as_str()) {
            (Value::Null, _) => None,
            (_, Some("non-inert")) => Some("the element is inert".to_owned()),
            (_, Some(state)) => Some(format!("the element is not {state}")),
            _ => Some(REMOVED.to_owned()),
        })
    }

    /// Scrolls into view; each attempt in another way, to get out from under bars that stick to an edge.
    async fn scroll(&self, number: usize, deadline: Deadline) -> Result<(), BrowserError> {
        let edge = match number % 4 {
            0 => {
                let params = json!({ "objectId": self.element });
                let session = &self.world.session;
                let page = self.frame.page();
                let answer = page.call_session(session, "DOM.scrollIntoViewIfNeeded", params, deadline.left()).await;
                return match answer {
                    // An element without a box is told apart later, by its lack of a clickable point.
                    Err(BrowserError::Refused { .. }) | Ok(_) => Ok(()),
                    Err(error) => Err(error),
                };
            }
            1 => "end",
            2 => "center",
            _ => "start",
        };
        self.ask(SCROLL, &[json!({ "block": edge, "inline": edge })], deadline).await.map(drop)
    }

    /// What got the event instead of the element, if anything did. A page that went away got the event.
    async fn stop_guard(&self, guard: &str, deadline: Deadline) -> Option<Value> {
        let limit = Deadline::after(STOP_LIMIT.min(deadline.left()));
        let call = Invocation {
            function: "function () { return this.stop(); }",
            this: Some(guard),
            arguments: &[],
            by_value: true,
        };
        let answer = self.frame.invoke(&self.world, call, limit).await.ok()?.value();
        self.frame.release(&self.world, guard);
        answer.get("hitTargetDescription").cloned()
    }
}

fn intercepted(problem: &Value) -> String {
    match problem.as_str() {
        Some("error:notconnected") | None => REMOVED.to_owned(),
        Some(description) => format!("{description} intercepts pointer events"),
    }
}

/// An argument list of one element, for functions of the caller.
pub(super) fn with_element(element: &str, argument: &Value) -> [Argument; 2] {
    [Argument::Object(element.to_owned()), Argument::Value(argument.clone())]
}
