//! Colours in the notations people write, compared by what a screen shows.

use regex::Regex;
use std::sync::LazyLock;

/// An opaque colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Colour {
    rgb: [f64; 3],
    /// Steps of 255 by which the notation may be off.
    slack: f64,
}

static NOTATION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)#[0-9a-f]{3,8}\b|\b(?:rgba?|hsla?|oklch)\([^()]{3,60}\)|--[\w-]+\s*:\s*(\d+(?:\.\d+)?(?:deg)?\s+\d+(?:\.\d+)?%\s+\d+(?:\.\d+)?%)").expect("the pattern is fixed")
});

/// Where a text first holds the colour.
pub fn find(text: &str, wanted: Colour) -> Option<usize> {
    NOTATION.captures_iter(text).find_map(|found| {
        let written = match found.get(1) {
            Some(triple) => format!("hsl({})", triple.as_str()),
            None => found[0].to_owned(),
        };
        let colour = parse(&written)?;
        same(colour, wanted).then(|| found.get(0).map_or(0, |whole| whole.start()))
    })
}

fn same(one: Colour, other: Colour) -> bool {
    let slack = one.slack.max(other.slack);
    one.rgb.iter().zip(other.rgb).all(|(one, other)| (one - other).abs() <= slack)
}

/// Reads one notation. Transparent colours are not the colour that was asked for.
pub fn parse(text: &str) -> Option<Colour> {
    let lower = text.trim().to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix('#') {
        return hex(digits);
    }
    let (name, rest) = lower.split_once('(')?;
    let mut numbers: Vec<(f64, bool)> = Vec::new();
    for word in rest.trim_end_matches(')').split([',', ' ', '/']).filter(|word| !word.is_empty()) {
        let percent = word.ends_with('%');
        let number = word.trim_end_matches('%').trim_end_matches("deg").parse().ok()?;
        numbers.push((number, percent));
    }
    if !(3..=4).contains(&numbers.len())
        || numbers.get(3).is_some_and(|(alpha, percent)| alpha / if *percent { 100.0 } else { 1.0 } < 0.995)
    {
        return None;
    }
    match name.trim_end_matches('a') {
        "rgb" => {
            Some(Colour { rgb: [0, 1, 2].map(|i| numbers[i].0 * if numbers[i].1 { 2.55 } else { 1.0 }), slack: 0.75 })
        }
        "hsl" => Some(Colour { rgb: hsl(numbers[0].0, numbers[1].0 / 100.0, numbers[2].0 / 100.0), slack: 1.6 }),
        "oklch" => {
            let lightness = if numbers[0].1 { numbers[0].0 / 100.0 } else { numbers[0].0 };
            let chroma = if numbers[1].1 { numbers[1].0 / 100.0 * 0.4 } else { numbers[1].0 };
            Some(Colour { rgb: oklch(lightness, chroma, numbers[2].0), slack: 2.0 })
        }
        _ => None,
    }
}

fn hex(digits: &str) -> Option<Colour> {
    let expanded: String = match digits.len() {
        3 | 4 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
        6 | 8 => digits.to_owned(),
        _ => return None,
    };
    if expanded.len() == 8 && &expanded[6..] != "ff" {
        return None;
    }
    let channel = |at: usize| u8::from_str_radix(expanded.get(at..at + 2)?, 16).ok().map(f64::from);
    Some(Colour { rgb: [channel(0)?, channel(2)?, channel(4)?], slack: 0.0 })
}

fn hsl(hue: f64, saturation: f64, lightness: f64) -> [f64; 3] {
    let reach = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|offset: f64| {
        let k = (offset + hue / 30.0).rem_euclid(12.0);
        255.0 * (lightness - reach * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0))
    })
}

/// From the OKLab colour space to sRGB, with the matrices of its publication.
#[allow(clippy::many_single_char_names, reason = "the names of the publication")]
fn oklch(lightness: f64, chroma: f64, hue: f64) -> [f64; 3] {
    let (a, b) = (chroma * hue.to_radians().cos(), chroma * hue.to_radians().sin());
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let linear = [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ];
    linear.map(|value| {
        let value = value.clamp(0.0, 1.0);
        255.0 * if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, wanted: &str) -> bool {
        find(text, parse(wanted).unwrap()).is_some()
    }

    #[test]
    fn one_colour_has_many_notations() {
        for text in [
            "#3B82F6",
            "bg-[#3b82f6]",
            "#3b82f6ff",
            "rgb(59, 130, 246)",
            "rgb(59 130 246 / 1)",
            "hsl(217, 91%, 60%)",
            "--primary: 217.2 91.2% 59.8%;",
            "oklch(0.623 0.188 259.81)",
        ] {
            assert!(holds(text, "#3b82f6"), "{text}");
        }
        for text in ["#3b82f7", "#3b82f680", "rgba(59, 130, 246, 0.5)", "hsl(217, 91%, 50%)", "3b82f6"] {
            assert!(!holds(text, "#3b82f6"), "{text}");
        }
        assert!(holds("color:#abc", "#aabbcc") && holds("#AABBCC", "#abc"));
    }
}
