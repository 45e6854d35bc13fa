//! Characters that stand for plain ones.
//!
//! Of Unicode's compatibility normalisation (NFKC), that part which leads to ASCII and occurs in what models write: full-width forms,
//! circled, bracketed and mathematical letters, small raised and lowered digits, Roman numerals, ligatures, spaces. Besides, quotation
//! marks, the minus sign and ideographic stops become their ASCII counterparts. The tables are our own and small, so that the page need
//! not load Unicode's, and a new version of Unicode changes no result.

/// What a character is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    /// As itself.
    Same,
    /// As this text; nothing at all for characters without width.
    As(&'static str),
}

const ASCII: &str = "\0\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~\x7f";
const BRACKETED: &str = "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)(l)(m)(n)(o)(p)(q)(r)(s)(t)(u)(v)(w)(x)(y)(z)";
const BRACKETED_CAPITALS: &str = "(A)(B)(C)(D)(E)(F)(G)(H)(I)(J)(K)(L)(M)(N)(O)(P)(Q)(R)(S)(T)(U)(V)(W)(X)(Y)(Z)";
const ROMAN: [&str; 16] =
    ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "L", "C", "D", "M"];
const SMALL_ROMAN: [&str; 16] =
    ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "l", "c", "d", "m"];

/// Letters outside the alphabets below, most of them the gaps of the mathematical ones.
const LETTERLIKE: [(u32, u8); 33] = [
    (0x2102, b'C'),
    (0x210a, b'g'),
    (0x210b, b'H'),
    (0x210c, b'H'),
    (0x210d, b'H'),
    (0x210e, b'h'),
    (0x2110, b'I'),
    (0x2111, b'I'),
    (0x2112, b'L'),
    (0x2113, b'l'),
    (0x2115, b'N'),
    (0x2119, b'P'),
    (0x211a, b'Q'),
    (0x211b, b'R'),
    (0x211c, b'R'),
    (0x211d, b'R'),
    (0x2124, b'Z'),
    (0x2128, b'Z'),
    (0x212a, b'K'),
    (0x212c, b'B'),
    (0x212d, b'C'),
    (0x212f, b'e'),
    (0x2130, b'E'),
    (0x2131, b'F'),
    (0x2133, b'M'),
    (0x2134, b'o'),
    (0x2139, b'i'),
    (0x2145, b'D'),
    (0x2146, b'd'),
    (0x2147, b'e'),
    (0x2148, b'i'),
    (0x2149, b'j'),
    (0x1f12b, b'C'),
];

fn ascii(byte: u8) -> Fold {
    Fold::As(ASCII.get(usize::from(byte)..=usize::from(byte)).unwrap_or_default())
}

fn digit(value: u32) -> Fold {
    ascii(b'0' + value as u8)
}

fn capital(index: u32) -> Fold {
    ascii(b'A' + index as u8)
}

/// Capitals and then small letters, 26 each, over and over.
fn letter(index: u32) -> Fold {
    let index = (index % 52) as u8;
    ascii(if index < 26 { b'A' + index } else { b'a' + index - 26 })
}

fn bracketed(letters: &'static str, index: u32) -> Fold {
    let at = 3 * index as usize;
    Fold::As(&letters[at..at + 3])
}

/// What a character that is not ASCII is read as.
pub(super) fn fold(character: char) -> Fold {
    let code = u32::from(character);
    match code {
        0xa0 | 0x2000..=0x200a | 0x202f | 0x205f | 0x3000 => Fold::As(" "),
        0x85 | 0x2028 | 0x2029 => Fold::As("\n"),
        0xad | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x2064 | 0x2066..=0x2069 | 0xfe00..=0xfe0f | 0xfeff => {
            Fold::As("")
        }
        0xb2 | 0xb3 => digit(code - 0xb0),
        0xb9 => digit(1),
        0x2018 | 0x2019 | 0x201b | 0x2032 => Fold::As("'"),
        0x201c | 0x201d | 0x201f => Fold::As("\""),
        0x2026 => Fold::As("..."),
        0x2070 => digit(0),
        0x2074..=0x2079 => digit(code - 0x2070),
        0x2080..=0x2089 => digit(code - 0x2080),
        0x2100..=0x214f => letterlike(code),
        0x2160..=0x216f => Fold::As(ROMAN[(code - 0x2160) as usize]),
        0x2170..=0x217f => Fold::As(SMALL_ROMAN[(code - 0x2170) as usize]),
        0x2212 => Fold::As("-"),
        0x2460..=0x2468 => digit(code - 0x245f),
        0x249c..=0x24b5 => bracketed(BRACKETED, code - 0x249c),
        0x24b6..=0x24e9 => letter(code - 0x24b6),
        0x3001 => Fold::As(","),
        0x3002 => Fold::As("."),
        0x3010 => Fold::As("["),
        0x3011 => Fold::As("]"),
        0xfb01 => Fold::As("fi"),
        0xfb02 => Fold::As("fl"),
        0xff01..=0xff5e => ascii((code - 0xfee0) as u8),
        _ if code > 0xffff => beyond_the_basic_plane(code),
        _ => Fold::Same,
    }
}

fn letterlike(code: u32) -> Fold {
    LETTERLIKE.iter().find(|(known, _)| *known == code).map_or(Fold::Same, |(_, plain)| ascii(*plain))
}

fn beyond_the_basic_plane(code: u32) -> Fold {
    match code {
        0x1ccd6..=0x1ccef => capital(code - 0x1ccd6),
        0x1ccf0..=0x1ccf9 => digit(code - 0x1ccf0),
        // Thirteen alphabets without a break; what is missing in them is unassigned and among the letterlike ones.
        0x1d400..=0x1d6a3 => letter(code - 0x1d400),
        0x1d7ce..=0x1d7ff => digit((code - 0x1d7ce) % 10),
        0x1f110..=0x1f129 => bracketed(BRACKETED_CAPITALS, code - 0x1f110),
        0x1f12b => letterlike(code),
        // Squared, and white on black in a circle or a square.
        0x1f130..=0x1f149 => capital(code - 0x1f130),
        0x1f150..=0x1f169 => capital(code - 0x1f150),
        0x1f170..=0x1f189 => capital(code - 0x1f170),
        _ => Fold::Same,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;

    /// What is ours and not Unicode's.
    fn is_our_own(code: u32) -> bool {
        let removed = matches!(fold(char::from_u32(code).unwrap()), Fold::As(""));
        let marks = [
            0x85, 0x2018, 0x2019, 0x201b, 0x2032, 0x201c, 0x201d, 0x201f, 0x2028, 0x2029, 0x2212, 0x3001, 0x3002,
            0x3010, 0x3011,
        ];
        removed || marks.contains(&code) || matches!(code, 0x1f150..=0x1f169 | 0x1f170..=0x1f189)
    }

    #[test]
    fn it_is_part_of_the_compatibility_normalisation() {
        let mut folded = 0;
        for character in (0x80..=0x10_ffff).filter_map(char::from_u32) {
            let Fold::As(text) = fold(character) else { continue };
            folded += 1;
            let unassigned = text.is_ascii()
                && character.nfkc().eq([character])
                && (0x1d400..=0x1d6a3).contains(&u32::from(character));
            if !is_our_own(u32::from(character)) && !unassigned {
                assert_eq!(character.nfkc().collect::<String>(), text, "U+{:04X}", u32::from(character));
            }
        }
        assert!(folded > 1000, "{folded}");
    }

    #[test]
    fn every_letter_that_could_be_an_answer_is_read() {
        for character in (0x80..=0x10_ffff).filter_map(char::from_u32) {
            let plain: String = character.nfkc().collect();
            let raised_or_lowered = matches!(u32::from(character), 0xaa | 0x1d2c..=0x1dbf | 0x2090..=0x209c | 0xa7f2);
            if plain.len() == 1 && "ABCDabcd".contains(&plain) && !raised_or_lowered {
                assert_eq!(
                    fold(character),
                    Fold::As(ASCII[..].get(usize::from(plain.as_bytes()[0])..).map(|rest| &rest[..1]).unwrap()),
                    "{character}"
                );
            }
        }
    }
}
