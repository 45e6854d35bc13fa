//! How much work reading an output is: the tokens, words and bytes that are looked at. Tests count it, as a clock tells nothing on a busy machine.

#[cfg(test)]
pub(super) use counted::{step, steps};

/// Something was looked at.
#[cfg(not(test))]
#[inline]
pub(super) const fn step() {}

#[cfg(test)]
mod counted {
    use std::cell::Cell;

    thread_local! {
        static STEPS: Cell<u64> = const { Cell::new(0) };
    }

    pub fn step() {
        STEPS.set(STEPS.get() + 1);
    }

    /// How many things some work looks at.
    pub fn steps(work: impl FnOnce()) -> u64 {
        let before = STEPS.get();
        work();
        STEPS.get() - before
    }
}

#[cfg(test)]
mod tests {
    use super::steps;
    use crate::extract;

    const HOSTILE: &str = include_str!("../../tests/golden/hostile.json");
    const CHOICES: [&str; 4] = ["Paris", "Rome", "B cells", "14"];
    /// Both are read whole, as the middle of what is longer than 64 KB is not.
    const SHORT: usize = 3_000;
    const LONG: usize = 60_000;
    /// Of twenty times the length. A square would be four hundred.
    const MOST: u64 = 30;

    #[test]
    fn work_grows_as_the_length_does_whatever_an_output_repeats() {
        let texts: Vec<String> = serde_json::from_str(HOSTILE).unwrap();
        let mut counted = 0;
        for text in &texts {
            let [short, long] = [SHORT, LONG].map(|bytes| {
                let output = text.repeat(bytes / text.len() + 1);
                steps(|| drop(extract(&output, &CHOICES)))
            });
            // Of tags alone nothing is left to look at.
            assert!(long <= MOST * short.max(SHORT as u64), "{text:?}: {short} steps, then {long}");
            counted += short;
        }
        assert!(counted >= (SHORT * texts.len()) as u64, "nearly nothing was counted: {counted}");
    }
}
