//! The contrast of two colours as WCAG defines it.

use crate::evidence::design::{TextColors, TextSample};

/// Text from this size on is large: 18 points.
const LARGE_PX: f64 = 24.0;
/// Bold text from this size on is large: 14 points, rounded as browsers show it.
const LARGE_BOLD_PX: f64 = 18.66;
const BOLD: f64 = 700.0;

/// Between 1 (the same) and 21 (black on white).
pub(super) fn ratio(colors: TextColors) -> f64 {
    let (a, b) = (luminance(colors.foreground), luminance(colors.background));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The lowest ratio that level AA allows for a text.
pub(super) fn required(sample: &TextSample) -> f64 {
    let bold = sample.font_weight >= BOLD && sample.font_size >= LARGE_BOLD_PX;
    if sample.font_size >= LARGE_PX || bold { 3.0 } else { 4.5 }
}

fn luminance(color: [f64; 3]) -> f64 {
    let [red, green, blue] = color.map(|channel| {
        let value = (channel / 255.0).clamp(0.0, 1.0);
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(foreground: [f64; 3], background: [f64; 3]) -> f64 {
        ratio(TextColors { foreground, background })
    }

    #[test]
    fn known_ratios() {
        assert!((of([0.0; 3], [255.0; 3]) - 21.0).abs() < 1e-9);
        assert!((of([255.0; 3], [255.0; 3]) - 1.0).abs() < 1e-9);
        assert!((of([119.0; 3], [255.0; 3]) - 4.48).abs() < 0.01);
        assert!((of([118.0; 3], [255.0; 3]) - 4.54).abs() < 0.01);
    }

    #[test]
    fn peer_defect_large_text_is_measured_in_points() {
        let sample = |font_size, font_weight| TextSample { font_size, font_weight, ..TextSample::default() };
        assert_eq!(required(&sample(23.9, 400.0)), 4.5);
        assert_eq!(required(&sample(24.0, 400.0)), 3.0);
        assert_eq!(required(&sample(18.66, 700.0)), 3.0);
        assert_eq!(required(&sample(18.66, 600.0)), 4.5);
        assert_eq!(required(&sample(18.0, 700.0)), 4.5);
    }
}
