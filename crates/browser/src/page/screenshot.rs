//! Photographs of a page, as PNG.

use super::Page;
use super::evaluate::Deadline;
use crate::error::BrowserError;
use crate::options::Shot;
use base64::Engine as _;
use benchwright_domain::Rect;
use serde_json::{Value, json};
use std::time::Duration;

/// Chromium paints no surface larger than this in either direction, in device pixels.
const MAX_DEVICE_PIXELS: f64 = 16_384.0;

impl Page {
    /// A PNG at the device scale of the viewport.
    pub async fn screenshot(&self, shot: Shot, limit: Duration) -> Result<Vec<u8>, BrowserError> {
        let deadline = Deadline::after(limit);
        let clip = match shot {
            Shot::Viewport => None,
            Shot::Clip(rect) => Some(rect),
            Shot::Full { max_height } => {
                let metrics = self.call("Page.getLayoutMetrics", json!({}), deadline.left()).await?;
                Some(whole_page(&metrics, f64::from(max_height)))
            }
        };
        let mut params = json!({ "format": "png", "captureBeyondViewport": clip.is_some() });
        if let Some(rect) = clip {
            let rect = self.within_paintable(rect, deadline).await?;
            params["clip"] =
                json!({ "x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height, "scale": 1 });
        }
        self.captured(params, deadline).await
    }

    /// The window as a PNG that takes half of the time and more bytes: the same pixels, for pictures that somebody waits for.
    pub async fn snapshot(&self, limit: Duration) -> Result<Vec<u8>, BrowserError> {
        self.captured(json!({ "format": "png", "optimizeForSpeed": true }), Deadline::after(limit)).await
    }

    async fn captured(&self, params: Value, deadline: Deadline) -> Result<Vec<u8>, BrowserError> {
        let answer = self.call("Page.captureScreenshot", params, deadline.left()).await?;
        let data = answer["data"].as_str().unwrap_or_default();
        let bytes = base64::engine::general_purpose::STANDARD.decode(data);
        bytes
            .ok()
            .filter(|bytes| !bytes.is_empty())
            .ok_or_else(|| BrowserError::bad_answer("a screenshot", "no picture"))
    }

    async fn within_paintable(&self, rect: Rect, deadline: Deadline) -> Result<Rect, BrowserError> {
        let largest = rect.width.max(rect.height);
        let scale: f64 = if largest * 4.0 < MAX_DEVICE_PIXELS {
            1.0
        } else {
            self.evaluate("() => devicePixelRatio", &Value::Null, deadline.left()).await?
        };
        let cap = (MAX_DEVICE_PIXELS / scale.clamp(0.1, 100.0)).floor();
        Ok(Rect { width: rect.width.clamp(1.0, cap), height: rect.height.clamp(1.0, cap), ..rect })
    }
}

fn whole_page(metrics: &Value, max_height: f64) -> Rect {
    let side = |name: &str| {
        let content = metrics["cssContentSize"][name].as_f64().unwrap_or_default();
        let window = match name {
            "width" => metrics["cssLayoutViewport"]["clientWidth"].as_f64(),
            _ => metrics["cssLayoutViewport"]["clientHeight"].as_f64(),
        };
        content.max(window.unwrap_or_default()).ceil().max(1.0)
    };
    Rect { x: 0.0, y: 0.0, width: side("width"), height: side("height").min(max_height.max(1.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_page_is_at_least_the_window_and_at_most_the_cap() {
        let metrics = json!({ "cssContentSize": { "width": 300.0, "height": 9000.5 },
                              "cssLayoutViewport": { "clientWidth": 390, "clientHeight": 844 } });
        let rect = whole_page(&metrics, 5000.0);
        assert_eq!((rect.width, rect.height), (390.0, 5000.0));
        assert_eq!(whole_page(&json!({}), 5000.0).height, 1.0);
    }
}
