use super::instance::Running;
use super::{DeployError, Instance, LOCK_LIMIT, Settings, compose, native};
use benchwright_sandbox::QuietLock;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::task::JoinHandle;

/// An app as it was submitted, ready to be started any number of times.
#[derive(Debug)]
pub struct Prepared {
    template: Arc<Template>,
    starting: Mutex<Vec<Starting>>,
    ahead: usize,
    /// How many instances will still be asked for.
    awaited: AtomicUsize,
    shared: Option<tokio::sync::Mutex<Option<Arc<Running>>>>,
    quiet_lock: Option<PathBuf>,
    took: Duration,
}

/// What instances are made from.
#[derive(Debug)]
pub(super) enum Template {
    Address(String),
    Native(native::Template),
    Compose(Box<compose::Template>),
}

impl Template {
    async fn start(&self) -> Result<Running, DeployError> {
        match self {
            Self::Address(url) => Ok(Running::Address(url.clone())),
            Self::Native(template) => template.start().await.map(Running::Native),
            Self::Compose(template) => template.start().await.map(Running::Compose),
        }
    }
}

/// An instance on its way. Whoever no longer wants it drops it, and what there is of it goes.
#[derive(Debug)]
struct Starting(Option<JoinHandle<Result<Running, DeployError>>>);

impl Starting {
    async fn arrived(mut self) -> Option<Result<Running, DeployError>> {
        let running = self.0.as_mut()?.await.ok();
        self.0 = None;
        running
    }

    /// Calls it off and waits until nothing is left of it.
    async fn call_off(mut self) {
        let Some(task) = self.0.take() else { return };
        task.abort();
        if let Ok(Ok(running)) = task.await {
            running.end().await;
        }
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

impl Prepared {
    pub(super) fn new(template: Template, settings: &Settings, took: Duration) -> Self {
        Self {
            template: Arc::new(template),
            starting: Mutex::new(Vec::new()),
            ahead: if settings.shared_state { 0 } else { settings.ahead },
            awaited: AtomicUsize::new(usize::MAX),
            shared: settings.shared_state.then(Default::default),
            quiet_lock: Some(settings.workshop.quiet_lock.clone()),
            took,
        }
    }

    /// An app that somebody else runs. Its data cannot be restored.
    pub fn at(url: &str) -> Self {
        Self {
            template: Arc::new(Template::Address(url.to_owned())),
            starting: Mutex::new(Vec::new()),
            ahead: 0,
            awaited: AtomicUsize::new(usize::MAX),
            shared: None,
            quiet_lock: None,
            took: Duration::ZERO,
        }
    }

    /// What deploys it: `native`, `compose` or `none`.
    pub fn backend(&self) -> &'static str {
        match &*self.template {
            Template::Address(_) => "none",
            Template::Native(_) => "native",
            Template::Compose(_) => "compose",
        }
    }

    /// How long preparing took.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// Says how many more instances will be asked for, so that none is started in vain.
    pub fn expect(&self, instances: usize) {
        self.awaited.store(instances, Ordering::Relaxed);
    }

    /// An instance that answers, with the data as they were submitted (or, with shared state, as others left them).
    pub async fn start(&self) -> Result<Instance, DeployError> {
        if let Some(shared) = &self.shared {
            return self.share(&mut *shared.lock().await).await;
        }
        let _ = self.awaited.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| match left {
            usize::MAX => None,
            left => Some(left.saturating_sub(1)),
        });
        let running = match self.next_started().await {
            Some(running) => running?,
            None => self.start_now().await?,
        };
        self.start_ahead();
        Ok(Instance::new(Arc::new(running)))
    }

    async fn share(&self, shared: &mut Option<Arc<Running>>) -> Result<Instance, DeployError> {
        let running = match shared.take() {
            Some(running) => running,
            None => Arc::new(self.start_now().await?),
        };
        *shared = Some(Arc::clone(&running));
        Ok(Instance::new(running))
    }

    /// Ends what is shared, so that an evaluation begins with the data as they were submitted, whatever another one left.
    pub async fn forget_shared(&self) {
        let Some(shared) = &self.shared else { return };
        if let Some(running) = shared.lock().await.take().and_then(Arc::into_inner) {
            running.end().await;
        }
    }

    async fn start_now(&self) -> Result<Running, DeployError> {
        let _busy = match &self.quiet_lock {
            Some(lock) => Some(QuietLock::shared(lock, LOCK_LIMIT).await?),
            None => None,
        };
        self.template.start().await
    }

    /// The instance that was begun first, if it still lives when it is there.
    async fn next_started(&self) -> Option<Result<Running, DeployError>> {
        loop {
            let first = {
                let mut starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
                if starting.is_empty() { None } else { Some(starting.remove(0)) }
            };
            match first?.arrived().await {
                Some(Ok(running)) if running.is_running() => return Some(Ok(running)),
                Some(Err(error)) => return Some(Err(error)),
                _ => {}
            }
        }
    }

    fn start_ahead(&self) {
        let mut starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = self.ahead.min(self.awaited.load(Ordering::Relaxed));
        while starting.len() < wanted {
            let template = Arc::clone(&self.template);
            starting.push(Starting(Some(tokio::spawn(async move { template.start().await }))));
        }
    }

    /// Ends what was started ahead and what is shared, and waits until it is gone. Dropping does the same without waiting.
    pub async fn finish(self) {
        let starting = std::mem::take(&mut *self.starting.lock().unwrap_or_else(PoisonError::into_inner));
        for one in starting {
            one.call_off().await;
        }
        if let Some(running) = self.shared.and_then(|shared| Arc::into_inner(shared.into_inner()?)) {
            running.end().await;
        }
        match Arc::into_inner(self.template) {
            Some(Template::Compose(template)) => template.remove().await,
            template => {
                let _ = tokio::task::spawn_blocking(move || drop(template)).await;
            }
        }
    }
}
