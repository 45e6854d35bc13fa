//! Where an element is in the window, through all the frames around it.

use super::Found;
use crate::error::BrowserError;
use crate::frame::Frame;
use crate::page::evaluate::{Argument, Deadline};
use crate::page::worlds::World;
use serde_json::{Value, json};

/// A point in CSS pixels of a frame's window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Point {
    pub(super) fn of(value: &Value) -> Option<Self> {
        Some(Self { x: value["x"].as_f64()?, y: value["y"].as_f64()? })
    }

    pub(super) fn json(self) -> Value {
        json!({ "x": self.x, "y": self.y })
    }

    fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}

/// An element that holds a frame on the way from the window to the element.
pub(super) struct Owner {
    frame: Frame,
    world: World,
    element: String,
    /// Where the frame's own window begins in its parent's.
    offset: Point,
    visible: bool,
}

/// A clickable point: the middle of the first box that shows, as far as the window shows it.
const POINT: &str = "function (element) { \
    for (const box of element.getClientRects()) { \
      const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth); \
      const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight); \
      if (right > left && bottom > top && (right - left) * (bottom - top) > 0.99) \
        return { x: Math.round((left + right) * 50) / 100, y: Math.round((top + bottom) * 50) / 100 }; \
    } \
    return null; }";

const OWNER: &str = "function (owner) { \
    const style = getComputedStyle(owner), box = owner.getBoundingClientRect(); \
    return { x: box.left + owner.clientLeft + parseFloat(style.paddingLeft || '0'), \
             y: box.top + owner.clientTop + parseFloat(style.paddingTop || '0'), \
             visible: this.utils.isElementVisible(owner) }; }";

const HIT: &str = "function (owner, point) { \
    const hit = this.expectHitTarget(point, owner); \
    return hit === 'done' ? null : hit.hitTargetDescription; }";

/// The elements that hold the frames around this frame and itself, innermost first.
pub(super) async fn owners_of(frame: &Frame, deadline: Deadline) -> Result<Vec<Owner>, BrowserError> {
    let mut owners = Vec::new();
    let mut frame = frame.clone();
    while let Some((parent, world, element)) = frame.owner(deadline).await? {
        let arguments = [Argument::Object(element.clone())];
        let (_, answer) = parent.ask_engine(OWNER, &arguments, true, deadline).await?;
        let answer = answer.value();
        let offset = Point::of(&answer).ok_or_else(|| BrowserError::bad_answer("a frame's place", "no point"))?;
        let visible = answer["visible"].as_bool().unwrap_or(false);
        owners.push(Owner { frame: parent.clone(), world, element, offset, visible });
        frame = parent;
    }
    Ok(owners)
}

/// Where a frame's own window begins in the page's, and whether every frame around it shows.
pub(crate) async fn place_in_window(frame: &Frame, deadline: Deadline) -> Result<((f64, f64), bool), BrowserError> {
    let owners = owners_of(frame, deadline).await?;
    let corner = in_window(Point { x: 0.0, y: 0.0 }, &owners);
    let visible = all_visible(&owners);
    release_all(&owners);
    Ok(((corner.x, corner.y), visible))
}

impl Found {
    /// The elements that hold the frames around this one, innermost first.
    pub(super) async fn owners(&self, deadline: Deadline) -> Result<Vec<Owner>, BrowserError> {
        owners_of(&self.frame, deadline).await
    }

    pub(super) async fn clickable_point(&self, deadline: Deadline) -> Result<Option<Point>, BrowserError> {
        Ok(Point::of(&self.ask(POINT, &[], deadline).await?))
    }
}

/// Whether every frame around the element shows.
pub(super) fn all_visible(owners: &[Owner]) -> bool {
    owners.iter().all(|owner| owner.visible)
}

/// A point of the innermost frame in the page's window.
pub(super) fn in_window(point: Point, owners: &[Owner]) -> Point {
    owners.iter().fold(point, |point, owner| point.plus(owner.offset))
}

/// What lies over one of the frames at this point, if anything.
pub(super) async fn cover(point: Point, owners: &[Owner], deadline: Deadline) -> Result<Option<String>, BrowserError> {
    let mut point = point;
    for owner in owners {
        point = point.plus(owner.offset);
        let arguments = [Argument::Object(owner.element.clone()), Argument::Value(point.json())];
        let (_, hit) = owner.frame.ask_engine(HIT, &arguments, true, deadline).await?;
        if let Some(description) = hit.value().as_str() {
            return Ok(Some(description.to_owned()));
        }
    }
    Ok(None)
}

pub(super) fn release_all(owners: &[Owner]) {
    for owner in owners {
        owner.frame.release(&owner.world, &owner.element);
    }
}
