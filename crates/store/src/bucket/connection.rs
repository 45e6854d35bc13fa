//! The few operations we need of a bucket, each with limits on time and bytes.

use crate::error::StoreError;
use crate::storage::{KeptBlob, Put};
use benchwright_domain::BlobId;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::aws::AmazonS3Builder;
use object_store::memory::InMemory;
use object_store::path::Path as Key;
use object_store::prefix::PrefixStore;
use object_store::{ClientOptions, Error, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, RetryConfig};
use std::fmt;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::runtime::Runtime;

/// How long one operation may take, retries included.
const TIME_LIMIT: Duration = Duration::from_mins(5);
const REQUEST_LIMIT: Duration = Duration::from_mins(1);
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
const MAX_RETRIES: usize = 4;
/// Objects fetched at the same time.
const AT_ONCE: usize = 16;

/// Where a bucket is, and who may write to it.
#[derive(Clone, Default)]
pub struct BucketSettings {
    /// Name of the bucket.
    pub bucket: String,
    /// Where in the bucket; may be empty.
    pub prefix: String,
    /// Base address of the service; absent for Amazon's own.
    pub endpoint: Option<String>,
    /// Region; absent for the service's default.
    pub region: Option<String>,
    /// Public half of the key.
    pub access_key_id: String,
    /// Secret half of the key.
    pub secret_access_key: String,
}

impl fmt::Debug for BucketSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BucketSettings")
            .field("bucket", &self.bucket)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// A bucket, and the threads that talk to it.
///
/// The calls block. They have a runtime of their own, so that they may be made from anywhere, also from inside another runtime.
pub(crate) struct Connection {
    store: Arc<dyn ObjectStore>,
    runtime: Option<Runtime>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connection({})", self.store)
    }
}

impl Connection {
    pub(crate) fn s3(settings: &BucketSettings) -> Result<Self, StoreError> {
        // Whoever installed a provider first wins; it is the same one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let is_local = settings.endpoint.as_deref().is_some_and(|address| address.starts_with("http://"));
        let options = ClientOptions::new()
            .with_timeout(REQUEST_LIMIT)
            .with_connect_timeout(CONNECT_LIMIT)
            .with_allow_http(is_local);
        let retry = RetryConfig { max_retries: MAX_RETRIES, retry_timeout: TIME_LIMIT / 2, ..RetryConfig::default() };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(&settings.bucket)
            .with_access_key_id(&settings.access_key_id)
            .with_secret_access_key(&settings.secret_access_key)
            .with_region(settings.region.as_deref().unwrap_or("us-east-1"))
            .with_client_options(options)
            .with_retry(retry);
        if let Some(endpoint) = &settings.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        let store = builder.build().map_err(|error| failed("open", &settings.bucket, &error))?;
        Self::over(Arc::new(PrefixStore::new(store, settings.prefix.trim_matches('/'))))
    }

    pub(crate) fn in_memory() -> Result<Self, StoreError> {
        Self::over(Arc::new(InMemory::new()))
    }

    fn over(store: Arc<dyn ObjectStore>) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let unstarted = |error: std::io::Error| StoreError::Bucket {
            doing: "open",
            key: String::new(),
            reason: format!("no thread can be started: {error}"),
        };
        Ok(Self { store, runtime: Some(runtime.map_err(unstarted)?) })
    }

    /// Puts an object if there is none of that name.
    pub(crate) fn put(&self, key: &str, bytes: Vec<u8>) -> Result<Put, StoreError> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        let outcome = self.wait("write", key, move |store, key| async move {
            store.put_opts(&key, bytes.into(), options).await.map(|_| ())
        })?;
        put_outcome(key, outcome)
    }

    /// Puts objects, each if there is none of its name, several at the same time.
    pub(crate) fn put_all(&self, objects: Vec<(String, Vec<u8>)>) -> Result<Vec<Put>, StoreError> {
        let key = objects.first().map(|(key, _)| key.clone()).unwrap_or_default();
        let outcomes = self.wait("write", &key, move |store, _| async move {
            let puts = objects.into_iter().map(|(key, bytes)| {
                let store = Arc::clone(&store);
                async move {
                    let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
                    let put = store.put_opts(&Key::from(key.as_str()), bytes.into(), options).await.map(|_| ());
                    (key, put)
                }
            });
            stream::iter(puts).buffered(AT_ONCE).collect::<Vec<_>>().await
        })?;
        outcomes.into_iter().map(|(key, outcome)| put_outcome(&key, outcome)).collect()
    }

    /// The bytes of an object of at most `limit` bytes; nothing if there is none.
    pub(crate) fn get(&self, key: &str, limit: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let outcome = self.wait("read", key, move |store, key| async move { fetch(&*store, &key, limit).await })?;
        match outcome {
            Ok(Some(bytes)) => Ok(Some(bytes)),
            Ok(None) => Err(StoreError::TooLarge { path: key.into(), limit, unit: "bytes" }),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed("read", key, &error)),
        }
    }

    /// All objects below a name, one after the other in the order of their names, of at most `limit` bytes together.
    pub(crate) fn concatenated(&self, prefix: &str, limit: u64) -> Result<Vec<u8>, StoreError> {
        let outcome = self.wait("read", prefix, move |store, prefix| async move {
            let mut found: Vec<_> = store.list(Some(&prefix)).try_collect().await?;
            found.sort_by(|a, b| a.location.cmp(&b.location));
            if found.iter().map(|object| object.size).sum::<u64>() > limit {
                return Ok(None);
            }
            let parts = found.into_iter().map(|object| {
                let store = Arc::clone(&store);
                async move { fetch(&*store, &object.location, limit).await }
            });
            let parts: Option<Vec<Vec<u8>>> =
                stream::iter(parts).buffered(AT_ONCE).try_collect::<Vec<_>>().await?.into_iter().collect();
            Ok(parts.map(|parts| parts.concat()))
        })?;
        match outcome {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(StoreError::TooLarge { path: prefix.into(), limit, unit: "bytes" }),
            Err(error) => Err(failed("read", prefix, &error)),
        }
    }

    /// The objects directly below a name, by the last part of their own.
    pub(crate) fn objects(&self, prefix: &str) -> Result<Vec<KeptBlob>, StoreError> {
        let outcome = self.wait("list", prefix, |store, prefix| async move {
            store.list(Some(&prefix)).try_collect::<Vec<_>>().await
        })?;
        let kept = |object: object_store::ObjectMeta| KeptBlob {
            id: BlobId(object.location.filename().unwrap_or_default().to_owned()),
            bytes: object.size,
            written: object.last_modified.into(),
        };
        Ok(outcome.map_err(|error| failed("list", prefix, &error))?.into_iter().map(kept).collect())
    }

    /// The names of what looks like folders below a name.
    pub(crate) fn folders(&self, prefix: &str) -> Result<Vec<String>, StoreError> {
        let outcome =
            self.wait("list", prefix, |store, prefix| async move { store.list_with_delimiter(Some(&prefix)).await })?;
        let listed = outcome.map_err(|error| failed("list", prefix, &error))?;
        Ok(listed.common_prefixes.iter().filter_map(|key| Some(key.filename()?.to_owned())).collect())
    }

    /// Removes an object; it does not matter whether there is one.
    pub(crate) fn remove(&self, key: &str) -> Result<(), StoreError> {
        match self.wait("remove", key, |store, key| async move { store.delete(&key).await })? {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed("remove", key, &error)),
        }
    }

    /// Lets the runtime do something and waits for it, but not for ever.
    fn wait<T, F>(
        &self,
        doing: &'static str,
        key: &str,
        work: impl FnOnce(Arc<dyn ObjectStore>, Key) -> F,
    ) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (sender, receiver) = mpsc::sync_channel(1);
        let work = work(Arc::clone(&self.store), Key::from(key));
        let silent = |reason: &str| StoreError::Bucket { doing, key: key.to_owned(), reason: reason.to_owned() };
        let runtime = self.runtime.as_ref().ok_or_else(|| silent("the connection is closed"))?;
        let task = runtime.spawn(async move {
            // Nobody listens any more when the time limit has passed.
            let _ = sender.send(work.await);
        });
        receiver.recv_timeout(TIME_LIMIT).map_err(|_| {
            task.abort();
            silent("no answer within 5 minutes; look at the network and at the service")
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Dropping a runtime waits, and must not where the caller is itself on one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Reads an object unless it is larger than allowed.
async fn fetch(store: &dyn ObjectStore, key: &Key, limit: u64) -> object_store::Result<Option<Vec<u8>>> {
    let found = store.get(key).await?;
    if found.meta.size > limit {
        return Ok(None);
    }
    Ok(Some(found.bytes().await?.to_vec()))
}

fn put_outcome(key: &str, outcome: object_store::Result<()>) -> Result<Put, StoreError> {
    match outcome {
        Ok(()) => Ok(Put::Done),
        Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(Put::Taken),
        Err(error) => Err(failed("write", key, &error)),
    }
}

fn failed(doing: &'static str, key: &str, error: &Error) -> StoreError {
    let reason = match error {
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
            "the service refuses the key; look at the access key, its rights and the bucket's name".to_owned()
        }
        other => other.to_string(),
    };
    StoreError::Bucket { doing, key: key.to_owned(), reason }
}
