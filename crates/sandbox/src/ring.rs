use std::collections::VecDeque;

/// Keeps the last bytes of a stream, however much is poured in.
#[derive(Debug)]
pub struct Ring {
    bytes: VecDeque<u8>,
    capacity: usize,
    dropped: u64,
}

impl Ring {
    pub fn new(capacity: usize) -> Self {
        Self { bytes: VecDeque::new(), capacity, dropped: 0 }
    }

    pub fn push(&mut self, chunk: &[u8]) {
        let kept = &chunk[chunk.len().saturating_sub(self.capacity)..];
        let overflow = (self.bytes.len() + kept.len()).saturating_sub(self.capacity);
        self.bytes.drain(..overflow);
        self.bytes.extend(kept);
        self.dropped += (overflow + chunk.len() - kept.len()) as u64;
    }

    /// The kept bytes as text; says so when the beginning is missing.
    pub fn text(&self) -> String {
        let (front, back) = self.bytes.as_slices();
        let text = String::from_utf8_lossy(&[front, back].concat()).into_owned();
        if self.dropped == 0 { text } else { format!("[{} earlier bytes left out]\n{text}", self.dropped) }
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;

    #[test]
    fn keeps_everything_that_fits() {
        let mut ring = Ring::new(8);
        ring.push(b"abc");
        ring.push(b"defgh");
        assert_eq!(ring.text(), "abcdefgh");
    }

    #[test]
    fn keeps_the_end_of_a_flood_and_says_how_much_is_gone() {
        let mut ring = Ring::new(4);
        ring.push(b"abc");
        ring.push(b"defghij");
        assert_eq!(ring.text(), "[6 earlier bytes left out]\nghij");
        ring.push(b"k");
        assert_eq!(ring.text(), "[7 earlier bytes left out]\nhijk");
    }

    #[test]
    fn bytes_that_are_not_text_do_not_panic() {
        let mut ring = Ring::new(2);
        ring.push("aü".as_bytes());
        ring.push(&[0xff]);
        assert!(ring.text().contains('\u{fffd}'));
    }
}
