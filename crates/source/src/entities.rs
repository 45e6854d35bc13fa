//! Character references of HTML, as far as people write them by hand.

/// Names of the upper half of Latin-1, in its order: U+00A0 and what follows.
const LATIN_1: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf", "laquo", "not", "shy",
    "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para", "middot", "cedil", "sup1", "ordm",
    "raquo", "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig",
    "Ccedil", "Egrave", "Eacute", "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve",
    "Oacute", "Ocirc", "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN",
    "szlig", "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave", "eacute", "ecirc",
    "euml", "igrave", "iacute", "icirc", "iuml", "eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml",
    "divide", "oslash", "ugrave", "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
];
/// Characters that are named otherwise than those of Latin-1.
const NAMED: [(&str, &str); 104] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("hellip", "…"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("hyphen", "‐"),
    ("minus", "−"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("sbquo", "‚"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("bdquo", "„"),
    ("lsaquo", "‹"),
    ("rsaquo", "›"),
    ("prime", "′"),
    ("Prime", "″"),
    ("bull", "•"),
    ("dagger", "†"),
    ("Dagger", "‡"),
    ("permil", "‰"),
    ("trade", "™"),
    ("euro", "€"),
    ("fnof", "ƒ"),
    ("oline", "‾"),
    ("frasl", "⁄"),
    ("lowast", "∗"),
    ("circ", "ˆ"),
    ("tilde", "˜"),
    ("ensp", "\u{2002}"),
    ("emsp", "\u{2003}"),
    ("thinsp", "\u{2009}"),
    ("zwnj", "\u{200c}"),
    ("zwj", "\u{200d}"),
    ("lrm", "\u{200e}"),
    ("rlm", "\u{200f}"),
    ("Tab", "\t"),
    ("NewLine", "\n"),
    ("larr", "←"),
    ("uarr", "↑"),
    ("rarr", "→"),
    ("darr", "↓"),
    ("harr", "↔"),
    ("crarr", "↵"),
    ("lArr", "⇐"),
    ("uArr", "⇑"),
    ("rArr", "⇒"),
    ("dArr", "⇓"),
    ("hArr", "⇔"),
    ("asymp", "≈"),
    ("ne", "≠"),
    ("le", "≤"),
    ("ge", "≥"),
    ("radic", "√"),
    ("infin", "∞"),
    ("sum", "∑"),
    ("loz", "◊"),
    ("check", "✓"),
    ("checkmark", "✓"),
    ("cross", "✗"),
    ("star", "☆"),
    ("starf", "★"),
    ("phone", "☎"),
    ("spades", "♠"),
    ("clubs", "♣"),
    ("hearts", "♥"),
    ("diams", "♦"),
    ("OElig", "Œ"),
    ("oelig", "œ"),
    ("Scaron", "Š"),
    ("scaron", "š"),
    ("Yuml", "Ÿ"),
    ("excl", "!"),
    ("num", "#"),
    ("dollar", "$"),
    ("percnt", "%"),
    ("lpar", "("),
    ("rpar", ")"),
    ("ast", "*"),
    ("plus", "+"),
    ("comma", ","),
    ("period", "."),
    ("sol", "/"),
    ("colon", ":"),
    ("semi", ";"),
    ("equals", "="),
    ("quest", "?"),
    ("commat", "@"),
    ("lsqb", "["),
    ("lbrack", "["),
    ("bsol", "\\"),
    ("rsqb", "]"),
    ("rbrack", "]"),
    ("lowbar", "_"),
    ("grave", "`"),
    ("lcub", "{"),
    ("lbrace", "{"),
    ("verbar", "|"),
    ("vert", "|"),
    ("rcub", "}"),
    ("rbrace", "}"),
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
        return named(reference);
    };
    number.and_then(char::from_u32).map(String::from)
}

fn named(reference: &str) -> Option<String> {
    let latin = LATIN_1.iter().position(|name| *name == reference).and_then(|at| u8::try_from(0xa0 + at).ok());
    let other = || NAMED.iter().find(|(name, _)| *name == reference).map(|(_, text)| (*text).to_owned());
    latin.map(|byte| char::from(byte).to_string()).or_else(other)
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
    #[test]
    fn letters_and_signs_have_their_names() {
        assert_eq!(decode("&Uuml;ber &Ouml;l, &Auml;pfel, Stra&szlig;e"), "Über Öl, Äpfel, Straße");
        assert_eq!(
            decode("Caf&eacute; &Eacute;t&aacute;, Espa&ntilde;a, fa&ccedil;ade, cora&ccedil;&oacute;n"),
            "Café Étá, España, façade, coraçón"
        );
        assert_eq!(decode("&nbsp;&iexcl;&cent;&yuml;&Yuml;&OElig;"), "\u{a0}¡¢ÿŸŒ");
        assert_eq!(
            decode("&check; 5&thinsp;&euro; &frac12; &bdquo;a&ldquo; hello&commat;harbor.example"),
            "✓ 5\u{2009}€ ½ „a“ hello@harbor.example"
        );
    }

    #[test]
    fn every_name_stands_for_one_character() {
        let names: std::collections::BTreeSet<&str> = LATIN_1.into_iter().chain(NAMED.map(|(name, _)| name)).collect();
        assert_eq!(names.len(), LATIN_1.len() + NAMED.len(), "a name stands twice");
        assert!(NAMED.iter().all(|(_, text)| text.chars().count() == 1));
        for name in names {
            assert_eq!(decode(&format!("&{name};")).chars().count(), 1, "{name}");
        }
    }
}
