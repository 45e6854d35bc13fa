//! Threads that read what was shared. They compute for milliseconds at a time, so they stand back for those who serve pages.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// How far they stand back: a thread that serves gets nine times as much of a processor that both want.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

type Work = Box<dyn FnOnce() + Send>;

/// Threads of their own for work that computes. They end when this is dropped.
pub struct Readers {
    queue: mpsc::Sender<Work>,
}

impl Readers {
    /// So many threads. Their work may wait for the runtime that calls this.
    pub fn start(count: usize) -> io::Result<Self> {
        let (queue, waiting) = mpsc::channel();
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..count {
            let (waiting, runtime) = (Arc::clone(&waiting), Handle::current());
            thread::Builder::new().name("readers".to_owned()).spawn(move || {
                stand_back();
                let _runtime = runtime.enter();
                while let Some(work) = next(&waiting) {
                    work();
                }
            })?;
        }
        Ok(Self { queue })
    }

    /// Waits for its turn and does some work there; nothing if that panicked. Work that nobody waits for any more is not begun.
    pub async fn read<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (done, answer) = oneshot::channel();
        let work = move || {
            if !done.is_closed()
                && let Ok(said) = catch_unwind(AssertUnwindSafe(work))
            {
                let _ = done.send(said);
            }
        };
        self.queue.send(Box::new(work)).ok()?;
        answer.await.ok()
    }
}

fn next(waiting: &Mutex<mpsc::Receiver<Work>>) -> Option<Work> {
    // Nobody panics while it is locked.
    waiting.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

/// On Linux a thread has a priority of its own; elsewhere it is that of the whole process, pages and all.
fn stand_back() {
    #[cfg(target_os = "linux")]
    // Who may not stand back goes on as it is.
    let _ = rustix::process::setpriority_process(None, NICENESS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_done_by_threads_of_its_own_and_a_panic_ends_none_of_them() {
        let readers = Readers::start(1).unwrap();
        let name = || thread::current().name().map(str::to_owned);
        assert_eq!(readers.read(name).await, Some(Some("readers".to_owned())));
        assert_eq!(readers.read(|| -> u8 { panic!("on purpose") }).await, None);
        assert_eq!(readers.read(|| Handle::current().block_on(async { 7 })).await, Some(7));
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_not_begun() {
        let readers = Readers::start(1).unwrap();
        let (go, wait) = mpsc::channel::<()>();
        let (begun, was_begun) = mpsc::channel();
        let first = readers.read(move || wait.recv());
        let second = readers.read(move || begun.send(()));
        let mut second = Box::pin(second);
        let both = async {
            tokio::select! { biased; _ = &mut second => unreachable!("it waits for the first"), () = tokio::task::yield_now() => {} }
            drop(second);
            go.send(()).unwrap();
        };
        let (ended, ()) = tokio::join!(first, both);
        assert_eq!(ended, Some(Ok(())));
        assert_eq!(readers.read(|| 1).await, Some(1));
        assert!(was_begun.recv().is_err());
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn they_stand_back_and_nobody_else_does() {
        let priority = || rustix::process::getpriority_process(None).unwrap();
        let before = priority();
        let readers = Readers::start(1).unwrap();
        assert!(readers.read(priority).await.unwrap() >= NICENESS);
        assert_eq!(priority(), before);
    }
}
