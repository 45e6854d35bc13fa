//! Character references of HTML, as far as people write them by hand.

const NAMED: [(&str, &str); 34] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("hellip", "…"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("bull", "•"),
    ("middot", "·"),
    ("times", "×"),
    ("rarr", "→"),
    ("larr", "←"),
    ("uarr", "↑"),
    ("darr", "↓"),
    ("euro", "€"),
    ("pound", "£"),
    ("deg", "°"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("uuml", "ü"),
    ("ouml", "ö"),
    ("auml", "ä"),
    ("szlig", "ß"),
];

/// The text with its references replaced; unknown ones stay as they are.
pub fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let reference = rest[1..].find(';').filter(|end| *end <= 10).map(|end| &rest[1..=end]);
        if let Some(replacement) = reference.and_then(one) {
            decoded.push_str(&replacement);
            rest = &rest[reference.map_or(0, str::len) + 2..];
        } else {
            decoded.push('&');
            rest = &rest[1..];
        }
    }
    decoded.push_str(rest);
    decoded
}

fn one(reference: &str) -> Option<String> {
    let number = if let Some(hex) = reference.strip_prefix("#x").or_else(|| reference.strip_prefix("#X")) {
        u32::from_str_radix(hex, 16).ok()
    } else if let Some(decimal) = reference.strip_prefix('#') {
        decimal.parse().ok()
    } else {
        return NAMED.iter().find(|(name, _)| *name == reference).map(|(_, text)| (*text).to_owned());
    };
    number.and_then(char::from_u32).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_replaced_and_lone_ampersands_stay() {
        assert_eq!(
            decode("Tom &amp; Jerry&apos;s &#8212; &#x2019; R&D &unknown; &"),
            "Tom & Jerry's — ’ R&D &unknown; &"
        );
    }
}
