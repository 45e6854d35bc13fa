//! The number that a choice states: `5/8`, `128 000`, `About 3.3`, `minus 0.4 V`, `5.0 * 10^6 mm^4`, `sqrt(65)`, `(e^2 + 1) / 4`.

use std::f64::consts::E;

/// Far below the distance of any two choices, far above the error of the sums and integrals.
const RELATIVE_ERROR: f64 = 1e-6;

pub struct Quantity<'a> {
    value: f64,
    /// How many digits stand behind the point.
    decimals: i32,
    /// Whatever follows the number.
    pub unit: &'a str,
}

impl<'a> Quantity<'a> {
    pub fn read(choice: &'a str) -> Self {
        let text = choice.strip_prefix("About ").unwrap_or(choice);
        let (sign, text) = match (text.strip_prefix("minus "), text.strip_prefix("plus ")) {
            (Some(rest), _) => (-1.0, rest),
            (_, Some(rest)) => (1.0, rest),
            _ => (1.0, text),
        };
        let mut reader = Reader { rest: text };
        let value = sign * reader.sum().unwrap_or_else(|| panic!("no number: {choice}"));
        let written = &text[..text.len() - reader.rest.len()];
        let decimals = written.split_once('.').map_or(0, |(_, behind)| digits(behind).len().try_into().unwrap());
        Self { value, decimals, unit: reader.rest.trim() }
    }

    pub fn is(&self, value: f64) -> bool {
        (self.value - value).abs() <= RELATIVE_ERROR * value.abs()
    }

    pub fn is_rounded(&self, value: f64) -> bool {
        (self.value - value).abs() <= 0.5 * 10_f64.powi(-self.decimals)
    }
}

/// The number that a choice states, whatever its unit.
pub fn value(choice: &str) -> f64 {
    Quantity::read(choice).value
}

fn digits(text: &str) -> &str {
    &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())]
}

/// Reads as much of a text as is an expression.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn sum(&mut self) -> Option<f64> {
        let mut sum = self.product()?;
        loop {
            if self.takes("+") {
                sum += self.product()?;
            } else if self.takes("-") {
                sum -= self.product()?;
            } else {
                return Some(sum);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut product = self.power()?;
        loop {
            if self.takes("*") {
                product *= self.power()?;
            } else if self.takes("/") {
                product /= self.power()?;
            } else {
                return Some(product);
            }
        }
    }

    fn power(&mut self) -> Option<f64> {
        let base = self.signed()?;
        Some(if self.takes("^") { base.powf(self.signed()?) } else { base })
    }

    fn signed(&mut self) -> Option<f64> {
        if self.takes("-") { self.atom().map(|value| -value) } else { self.atom() }
    }

    fn atom(&mut self) -> Option<f64> {
        if self.takes("sqrt(") {
            return self.until_bracket().map(f64::sqrt);
        }
        if self.takes("(") {
            return self.until_bracket();
        }
        if self.takes("e") {
            return Some(E);
        }
        self.decimal()
    }

    fn until_bracket(&mut self) -> Option<f64> {
        let value = self.sum()?;
        self.takes(")").then_some(value)
    }

    fn decimal(&mut self) -> Option<f64> {
        let text = self.rest.trim_start();
        let mut written = digits(text).to_owned();
        let mut rest = &text[written.len()..];
        // Thousands are set apart by a space.
        while let Some(group) = rest.strip_prefix(' ').map(digits).filter(|group| group.len() == 3) {
            written.push_str(group);
            rest = &rest[1 + group.len()..];
        }
        if let Some(behind) = rest.strip_prefix('.').map(digits).filter(|behind| !behind.is_empty()) {
            written = format!("{written}.{behind}");
            rest = &rest[1 + behind.len()..];
        }
        self.rest = rest;
        written.parse().ok()
    }

    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

#[test]
fn choices_are_read_as_they_are_written() {
    let cases = [
        ("45", 45.0, ""),
        ("128 000", 128_000.0, ""),
        ("About 3.3", 3.3, ""),
        ("minus 2.35 V", -2.35, "V"),
        ("0.80 g/cm^3", 0.8, "g/cm^3"),
        ("5.0 * 10^6 mm^4", 5e6, "mm^4"),
        ("4.5 * 10^-2", 0.045, ""),
        ("1/2 as strong", 0.5, "as strong"),
        ("52 euros", 52.0, "euros"),
        ("sqrt(65)", 65_f64.sqrt(), ""),
        ("(e^2 + 1) / 4", (E * E + 1.0) / 4.0, ""),
        ("1 - e^-2", 1.0 - E.powi(-2), ""),
        ("e^-4.5", E.powf(-4.5), ""),
    ];
    for (choice, expected, unit) in cases {
        let quantity = Quantity::read(choice);
        assert!(quantity.is(expected), "{choice}: {}", quantity.value);
        assert_eq!(quantity.unit, unit, "{choice}");
    }
}

#[test]
fn rounding_goes_by_the_decimals_shown() {
    assert!(Quantity::read("About 3.3").is_rounded(3.34));
    assert!(!Quantity::read("About 3.3").is_rounded(3.36));
    assert!(Quantity::read("About 126 m/min").is_rounded(125.66));
    assert!(!Quantity::read("3.3").is(3.34));
}
