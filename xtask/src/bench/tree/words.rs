//! Words and numbers that look drawn at random and are the same every time.

use std::fmt::Write;

/// What names and texts of a business app are made of. Some hold beginnings of key formats, as words of real code do.
const VOCABULARY: [&str; 64] = [
    "account", "address", "amount", "archive", "balance", "batch", "booking", "branch", "budget", "calendar",
    "campaign", "cargo", "catalog", "channel", "claim", "client", "comment", "contact", "contract", "course", "credit",
    "customer", "delivery", "device", "discount", "disk", "document", "driver", "event", "expense", "feature",
    "filter", "folder", "freight", "gallery", "guest", "invoice", "item", "journey", "label", "ledger", "letter",
    "member", "message", "note", "notice", "order", "parcel", "partner", "payment", "permit", "profile", "project",
    "quota", "receipt", "region", "report", "review", "risk", "session", "store", "task", "token", "vendor",
];

pub(super) struct Words {
    state: u64,
}

impl Words {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// SplitMix64.
    pub fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.number() % limit.max(1) as u64).unwrap_or(0)
    }

    pub fn word(&mut self) -> &'static str {
        VOCABULARY[self.below(VOCABULARY.len())]
    }

    /// `Order`.
    pub fn capital(&mut self) -> String {
        let word = self.word();
        word[..1].to_uppercase() + &word[1..]
    }

    /// Some words with blanks between.
    pub fn phrase(&mut self, count: usize) -> String {
        let words: Vec<_> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }

    /// Letters and digits without a meaning, as in hashes.
    pub fn hash(&mut self, length: usize) -> String {
        let mut text = String::with_capacity(length + 16);
        while text.len() < length {
            // Writing to a string cannot fail.
            let _ = write!(text, "{:016x}", self.number());
        }
        text.truncate(length);
        text
    }
}
