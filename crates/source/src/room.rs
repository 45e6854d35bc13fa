//! Room on the stack. The parser and every walk over what it makes recurse, and a stack that runs out ends the whole process. A level of
//! nesting takes at least one token, so the tokens of a script bound its depth, and a thread parses what fits its stack even if every token
//! were a level.

use std::marker::PhantomData;
use std::thread::{self, Builder};

/// Stack for one token: twice what `[` takes in a type, the worst there is.
const PER_TOKEN: usize = if cfg!(debug_assertions) { 12 * 1024 } else { 4 * 1024 };

/// Stack for everything else a reader does.
const BASE: usize = 4 * 1024 * 1024;

/// Tokens below which no room is asked for.
const LEAST: usize = 1024;

/// What fits the stack of the current thread. It is made with the thread and cannot leave it.
pub struct Room {
    tokens: usize,
    of_this_thread: PhantomData<*const ()>,
}

impl Room {
    /// Whether a script can be parsed here, however it nests.
    pub fn fits(&self, script: &str) -> bool {
        script.len() <= self.tokens || tokens(script) <= self.tokens
    }
}

fn stack_for(tokens: usize) -> usize {
    tokens.saturating_mul(PER_TOKEN).saturating_add(BASE)
}

/// Does the work on threads with room for scripts of that many tokens: on fewer threads where the system grants no more, with less room
/// where it grants none. `None` if no thread could be had, or one of them panicked.
pub fn with_room<T: Send>(threads: usize, tokens: usize, work: impl Fn(&Room) -> T + Sync) -> Option<Vec<T>> {
    let rooms = std::iter::successors(Some(tokens), |tokens| Some(tokens / 2).filter(|tokens| *tokens >= LEAST));
    let mut ended = rooms.map(|tokens| on_threads(threads, tokens, &work));
    ended.find(|ended| !ended.is_empty())?.into_iter().collect()
}

/// What each thread made, `None` if it panicked; of as many threads as the system grants.
fn on_threads<T: Send>(threads: usize, tokens: usize, work: &(impl Fn(&Room) -> T + Sync)) -> Vec<Option<T>> {
    thread::scope(|scope| {
        let start = |_| {
            let stack = Builder::new().stack_size(stack_for(tokens));
            stack.spawn_scoped(scope, move || work(&Room { tokens, of_this_thread: PhantomData })).ok()
        };
        let started: Vec<_> = (0..threads.max(1)).map_while(start).collect();
        started.into_iter().map(|thread| thread.join().ok()).collect()
    })
}

/// Words and signs of a text. Every token of a script is at least one of them.
fn tokens(text: &str) -> usize {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    let mut before = b' ';
    let mut count = 0;
    for byte in text.bytes() {
        count += usize::from(if is_word(byte) { !is_word(before) } else { !byte.is_ascii_whitespace() });
        before = byte;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patterns::script::candidates;
    use crate::script::{Facts, source_type, with_script};

    #[test]
    fn every_token_counts_whatever_separates_it() {
        for (text, count) in [("a.b", 3), (" await\u{a0}await ", 4), ("((a))", 5), ("a_$1 \n\t=>", 3), ("", 0)] {
            assert_eq!(tokens(text), count, "{text:?}");
        }
    }

    #[test]
    fn half_of_the_stack_is_enough() {
        const HALF: usize = 4096;
        let nested = |head: &str, open: &str, close: &str| {
            let levels = 2 * HALF / tokens(&(open.to_owned() + close)) - 4;
            format!("{head}{}a{}", open.repeat(levels), close.repeat(levels))
        };
        let scripts = [
            nested("type x=", "[", ""),
            nested("type x=", "[", "]"),
            nested("x=", "(", ""),
            nested("x=", "[", "]"),
            nested("x=", "new(", ")"),
            nested("f", "(function(){", "})"),
        ];
        let stack = Builder::new().stack_size(HALF * PER_TOKEN);
        let read = move || {
            let room = Room { tokens: 2 * HALF, of_this_thread: PhantomData };
            let read = |script: &str| {
                assert!(room.fits(script));
                with_script(&room, script, source_type("a.ts"), 0, |script| {
                    (Facts::of(script), candidates(script, &[]))
                })
            };
            scripts.map(|script| read(&script).is_some())
        };
        assert_eq!(stack.spawn(read).unwrap().join().unwrap(), [false, true, false, true, true, true]);
    }

    #[test]
    fn less_room_is_taken_where_the_system_grants_no_more() {
        let all = with_room(2, usize::MAX, |room| room.tokens).unwrap();
        assert!(all.iter().all(|tokens| (LEAST..usize::MAX / PER_TOKEN).contains(tokens)), "{all:?}");
    }

    #[test]
    fn a_reader_that_panics_is_told() {
        assert_eq!(with_room(2, LEAST, |room| assert!(room.tokens == 0)), None);
    }
}
