//! `benchwright_quiz::call` as a WebAssembly module without imports.
//!
//! The page asks for room with [`input`], writes its request there as UTF-8, runs [`call`], which returns the length of the answer, and
//! reads that many bytes at [`output`]. Both places stay valid until the next of these calls. Memory may have grown: the page makes its
//! view of it anew each time.

use std::cell::RefCell;

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Room for a request of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request that was written to [`input`], and says how many bytes the answer has. What is no UTF-8 is as good as no request.
#[unsafe(no_mangle)]
pub extern "C" fn call() -> usize {
    let answer = REQUEST.with_borrow(|request| benchwright_quiz::call(str::from_utf8(request).unwrap_or_default()));
    ANSWER.with_borrow_mut(|place| {
        *place = answer;
        place.len()
    })
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}
