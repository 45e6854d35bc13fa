//! Custom checks: where the first element is, and whether it stays there.

use super::syntax::{Cursor, SyntaxError, Token};
use std::fmt;

const KNOWN: &str = "`boundingBox.x < 100` (x, y, width or height; <, >, <=, >=, == or ===) and `stickyAfterScroll`";

/// A custom check that was read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CustomCheck {
    /// A side of the first element's box, in CSS pixels of the window.
    Box {
        /// Which.
        side: Side,
        /// How it is compared.
        comparison: Comparison,
        /// With what.
        number: f64,
    },
    /// The first element is at the top of the window, and still is after the page was scrolled.
    StickyAfterScroll,
}

/// A side of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    X,
    Y,
    Width,
    Height,
}

/// How two numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Less,
    Greater,
    LessOrEqual,
    GreaterOrEqual,
    Equal,
}

impl CustomCheck {
    /// Reads a custom check.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut cursor = Cursor::new(text)?;
        let at = cursor.at();
        let check = match cursor.take()? {
            Token::Name(name) if name == "stickyAfterScroll" => Self::StickyAfterScroll,
            Token::Name(name) if name == "boundingBox" => {
                cursor.expect('.', "`.` and x, y, width or height after `boundingBox`")?;
                let side = side(&mut cursor)?;
                let comparison = comparison(&mut cursor)?;
                let Token::Number(number) = *cursor.peek() else {
                    return Err(cursor.unexpected("a number of CSS pixels"));
                };
                cursor.take()?;
                Self::Box { side, comparison, number }
            }
            _ => return Err(SyntaxError::new(at, format!("there is no such custom check; known are {KNOWN}"))),
        };
        cursor.expect_end()?;
        Ok(check)
    }
}

fn side(cursor: &mut Cursor<'_>) -> Result<Side, SyntaxError> {
    let side = match cursor.peek() {
        Token::Name(name) => match name.as_str() {
            "x" => Some(Side::X),
            "y" => Some(Side::Y),
            "width" => Some(Side::Width),
            "height" => Some(Side::Height),
            _ => None,
        },
        _ => None,
    };
    let side = side.ok_or_else(|| cursor.unexpected("x, y, width or height"))?;
    cursor.take()?;
    Ok(side)
}

fn comparison(cursor: &mut Cursor<'_>) -> Result<Comparison, SyntaxError> {
    let wanted = "one of <, >, <=, >=, == and ===";
    if cursor.takes('<')? {
        return Ok(if cursor.takes('=')? { Comparison::LessOrEqual } else { Comparison::Less });
    }
    if cursor.takes('>')? {
        return Ok(if cursor.takes('=')? { Comparison::GreaterOrEqual } else { Comparison::Greater });
    }
    cursor.expect('=', wanted)?;
    cursor.expect('=', wanted)?;
    cursor.takes('=')?;
    Ok(Comparison::Equal)
}

impl Comparison {
    /// Whether it holds. Layout is in fractions of pixels, so what is equal to within half a hundredth is equal.
    pub fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Less => left < right,
            Self::Greater => left > right,
            Self::LessOrEqual => left <= right,
            Self::GreaterOrEqual => left >= right,
            Self::Equal => (left - right).abs() < 0.005,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Less => "less than",
            Self::Greater => "more than",
            Self::LessOrEqual => "at most",
            Self::GreaterOrEqual => "at least",
            Self::Equal => "exactly",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Width => "width",
            Self::Height => "height",
        })
    }
}

impl fmt::Display for CustomCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Box { side, comparison, number } => {
                write!(f, "{side} of its box is {} {number} px", comparison.words())
            }
            Self::StickyAfterScroll => f.write_str("it stays at the top of the window when the page is scrolled"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_stickiness_are_read() {
        let read = |text: &str| CustomCheck::parse(text).unwrap();
        assert_eq!(read("stickyAfterScroll"), CustomCheck::StickyAfterScroll);
        for (text, side, comparison, number) in [
            ("boundingBox.y < 800", Side::Y, Comparison::Less, 800.0),
            ("boundingBox.x>=-5", Side::X, Comparison::GreaterOrEqual, -5.0),
            ("boundingBox.width === 12.5", Side::Width, Comparison::Equal, 12.5),
            ("boundingBox . height == 3", Side::Height, Comparison::Equal, 3.0),
            ("boundingBox.height <= 3", Side::Height, Comparison::LessOrEqual, 3.0),
            ("boundingBox.height > 3", Side::Height, Comparison::Greater, 3.0),
        ] {
            assert_eq!(read(text), CustomCheck::Box { side, comparison, number }, "{text}");
        }
    }

    #[test]
    fn what_is_no_check_is_refused_where_it_is_wrong() {
        for (text, at, words) in [
            ("isPretty", 0, "no such custom check; known are"),
            ("boundingBox.top < 3", 12, "x, y, width or height"),
            ("boundingBox.y ! 3", 14, "one of <, >"),
            ("boundingBox.y = 3", 16, "one of <, >"),
            ("boundingBox.y < high", 16, "a number of CSS pixels"),
            ("boundingBox.y < 800px", 16, "is no number"),
            ("boundingBox.y < 8; alert(1)", 17, "expected the end"),
            ("stickyAfterScroll()", 17, "expected the end"),
            ("", 0, "no such custom check"),
        ] {
            let error = CustomCheck::parse(text).unwrap_err();
            assert!(error.problem.contains(words), "{text}: {}", error.problem);
            assert_eq!(error.at, at, "{text}");
        }
    }
}
