//! Real mouse and keyboard events, in CSS pixels of the window.

use crate::connection::CALL_LIMIT;
use crate::error::BrowserError;
use crate::keys::{Chord, Key, SHIFT, key_of_character};
use crate::options::MouseButton;
use crate::page::Page;
use crate::page::evaluate::Deadline;
use serde_json::{Value, json};
use std::time::Duration;

/// More text than anyone types.
const MAX_TYPED: usize = 100_000;
/// Moves of the mouse on the way of a drag; pages that listen for drags want more than one.
const DRAG_STEPS: u32 = 6;

impl MouseButton {
    fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Middle => "middle",
            Self::Right => "right",
        }
    }

    fn bit(self) -> u32 {
        match self {
            Self::Left => 1,
            Self::Right => 2,
            Self::Middle => 4,
        }
    }
}

impl Page {
    /// Presses and releases a key or a chord: `Enter`, `a`, `Shift+Tab`, `Control+A`.
    pub async fn press(&self, key: &str) -> Result<(), BrowserError> {
        self.press_within(key, Deadline::after(CALL_LIMIT)).await
    }

    pub(crate) async fn press_within(&self, key: &str, deadline: Deadline) -> Result<(), BrowserError> {
        let chord = Chord::parse(key)?;
        let mut modifiers = 0;
        for (bit, key) in &chord.held {
            modifiers |= bit;
            self.key_down(key, modifiers, &[], deadline).await?;
        }
        self.key_down(&chord.key, chord.modifiers(), editing_commands(&chord), deadline).await?;
        self.key_up(&chord.key, chord.modifiers(), deadline).await?;
        for (bit, key) in chord.held.iter().rev() {
            modifiers &= !bit;
            self.key_up(key, modifiers, deadline).await?;
        }
        Ok(())
    }

    /// Types a text into what has the focus, key by key; characters without a key are inserted.
    pub async fn type_text(&self, text: &str) -> Result<(), BrowserError> {
        for character in text.chars().take(MAX_TYPED) {
            let deadline = Deadline::after(CALL_LIMIT);
            match key_of_character(character) {
                Some((key, shift)) => {
                    let modifiers = if shift { SHIFT } else { 0 };
                    self.key_down(&key, modifiers, &[], deadline).await?;
                    self.key_up(&key, modifiers, deadline).await?;
                }
                None => self.insert_text(&character.to_string(), deadline).await?,
            }
        }
        Ok(())
    }

    /// Puts a text into what has the focus in one go, as an input method does.
    pub async fn enter_text(&self, text: &str) -> Result<(), BrowserError> {
        let text: String = text.chars().take(MAX_TYPED).collect();
        self.insert_text(&text, Deadline::after(CALL_LIMIT)).await
    }

    pub(crate) async fn insert_text(&self, text: &str, deadline: Deadline) -> Result<(), BrowserError> {
        self.call("Input.insertText", json!({ "text": text }), deadline.left()).await.map(drop)
    }

    pub async fn mouse_move(&self, x: f64, y: f64) -> Result<(), BrowserError> {
        self.mouse_move_within(x, y, Deadline::after(CALL_LIMIT)).await
    }

    pub async fn mouse_click(&self, x: f64, y: f64) -> Result<(), BrowserError> {
        let deadline = Deadline::after(CALL_LIMIT);
        self.click_at(x, y, MouseButton::Left, 1, deadline).await
    }

    /// Presses the mouse at one point, moves it to another in steps and lets go there.
    pub async fn mouse_drag(&self, from: (f64, f64), to: (f64, f64)) -> Result<(), BrowserError> {
        let event = |kind: &str, (x, y): (f64, f64), buttons: u32| json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1 });
        self.mouse_move(from.0, from.1).await?;
        self.dispatch_mouse(event("mousePressed", from, 1), CALL_LIMIT).await?;
        for step in 1..=DRAG_STEPS {
            let share = f64::from(step) / f64::from(DRAG_STEPS);
            let point = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            self.dispatch_mouse(event("mouseMoved", point, 1), CALL_LIMIT).await?;
        }
        self.dispatch_mouse(event("mouseReleased", to, 0), CALL_LIMIT).await
    }

    /// Turns the wheel over a point.
    pub async fn mouse_wheel(&self, x: f64, y: f64, delta_x: f64, delta_y: f64) -> Result<(), BrowserError> {
        let params = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": delta_x, "deltaY": delta_y });
        self.dispatch_mouse(params, CALL_LIMIT).await
    }

    pub(crate) async fn mouse_move_within(&self, x: f64, y: f64, deadline: Deadline) -> Result<(), BrowserError> {
        self.dispatch_mouse(json!({ "type": "mouseMoved", "x": x, "y": y }), deadline.left()).await
    }

    pub(crate) async fn click_at(
        &self,
        x: f64,
        y: f64,
        button: MouseButton,
        count: u32,
        deadline: Deadline,
    ) -> Result<(), BrowserError> {
        self.mouse_move_within(x, y, deadline).await?;
        for click in 1..=count.clamp(1, 3) {
            let event = |kind: &str, buttons: u32| json!({ "type": kind, "x": x, "y": y, "button": button.name(), "buttons": buttons, "clickCount": click });
            self.dispatch_mouse(event("mousePressed", button.bit()), deadline.left()).await?;
            self.dispatch_mouse(event("mouseReleased", 0), deadline.left()).await?;
        }
        Ok(())
    }

    async fn dispatch_mouse(&self, params: Value, limit: Duration) -> Result<(), BrowserError> {
        self.call("Input.dispatchMouseEvent", params, limit).await.map(drop)
    }

    async fn key_down(
        &self,
        key: &Key,
        modifiers: u32,
        commands: &[&str],
        deadline: Deadline,
    ) -> Result<(), BrowserError> {
        let kind = if key.text.is_some() { "keyDown" } else { "rawKeyDown" };
        let mut params = key_event(kind, key, modifiers);
        if let Some(text) = &key.text {
            params["text"] = json!(text);
            params["unmodifiedText"] = json!(text);
        }
        if !commands.is_empty() {
            params["commands"] = json!(commands);
        }
        self.call("Input.dispatchKeyEvent", params, deadline.left()).await.map(drop)
    }

    async fn key_up(&self, key: &Key, modifiers: u32, deadline: Deadline) -> Result<(), BrowserError> {
        let params = key_event("keyUp", key, modifiers);
        self.call("Input.dispatchKeyEvent", params, deadline.left()).await.map(drop)
    }
}

fn key_event(kind: &str, key: &Key, modifiers: u32) -> Value {
    json!({
        "type": kind,
        "key": key.name,
        "code": key.code,
        "windowsVirtualKeyCode": key.number,
        "modifiers": modifiers,
    })
}

/// Without a window system nobody maps these chords to editing, so we do.
fn editing_commands(chord: &Chord) -> &'static [&'static str] {
    let only_control = chord.modifiers() == crate::keys::CONTROL;
    match chord.key.code.as_str() {
        "KeyA" if only_control => &["selectAll"],
        "KeyC" if only_control => &["copy"],
        "KeyX" if only_control => &["cut"],
        "KeyV" if only_control => &["paste"],
        "KeyZ" if only_control => &["undo"],
        _ => &[],
    }
}
