use super::janitor::Janitor;
use super::{ContainerError, Docker, QUICK, last_line};
use crate::Result;
use crate::allowance::over_the_disk;
use crate::egress::attend;
use crate::process::{Foreign, Program, Stream};
use crate::serve::SAY_ALL_TO_STDERR;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::task::Context;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const LOOK_EVERY: Duration = Duration::from_millis(200);
const LOOK_AT_DISK_EVERY: Duration = Duration::from_secs(3);
const ASK_LIMIT: Duration = Duration::from_secs(10);
const LAST_WORDS: Duration = Duration::from_secs(2);
/// Whoever calls sets the limit that counts.
const AN_HOUR: Duration = Duration::from_hours(1);
const MAX_CONNECTIONS: usize = 512;
const MIB: u64 = 1024 * 1024;
/// What the service says of a container that nobody could make as the app wants it.
const IMPOSSIBLE: [&str; 4] = ["Duplicate mount point", " is invalid", "invalid mount", "invalid volume specification"];

/// What is to be run together.
#[derive(Debug, Clone)]
pub struct Project {
    /// Unlike any other on this machine, in lower-case letters, digits and dashes.
    pub name: String,
    /// The compose file, which we wrote.
    pub file: PathBuf,
    /// The service that is looked at.
    pub service: String,
    /// Ports it may listen on, the likeliest first.
    pub ports: Vec<u16>,
    /// What the containers may write to, besides their own layers.
    pub folder: PathBuf,
    /// Of both together.
    pub disk_bytes: u64,
    /// Of what the containers wrote.
    pub log_bytes: usize,
}

/// Containers that run and answer. They go with this value.
#[derive(Debug)]
pub struct Running {
    service: String,
    followers: Vec<Follower>,
    url: String,
    ended: Arc<OnceLock<String>>,
    tasks: [JoinHandle<()>; 2],
    janitor: Option<Janitor>,
}

/// A program that reads the log of one container, and ends with it.
#[derive(Debug)]
struct Follower {
    service: String,
    container: String,
    program: Foreign,
}

impl Project {
    fn label(&self) -> String {
        format!("com.docker.compose.project={}", self.name)
    }

    /// Starts everything and waits until the service answers.
    pub async fn start(
        self,
        docker: Docker,
        limit: Duration,
        listener: TcpListener,
    ) -> Result<Running, ContainerError> {
        let janitor = Janitor::wait_for_the_end(&docker, &self.label())?;
        match timeout(limit, self.start_all(&docker)).await {
            Ok(Ok((followers, address))) => Ok(self.reached(docker, followers, address, listener, janitor)),
            Ok(Err(error)) => {
                janitor.clear().await;
                Err(error)
            }
            Err(_) => {
                let error = self.silent(&docker, limit).await;
                janitor.clear().await;
                Err(error)
            }
        }
    }

    fn reached(
        self,
        docker: Docker,
        followers: Vec<Follower>,
        address: SocketAddr,
        listener: TcpListener,
        janitor: Janitor,
    ) -> Running {
        let port = listener.local_addr().map_or(0, |address| address.port());
        let url = format!("http://127.0.0.1:{port}/");
        let (ended, service) = (Arc::new(OnceLock::new()), self.service.clone());
        let watch = watch(docker, self, Arc::clone(&ended));
        let tasks = [tokio::spawn(carry(listener, address)), tokio::spawn(watch)];
        Running { service, followers, url, ended, tasks, janitor: Some(janitor) }
    }

    async fn start_all(&self, docker: &Docker) -> Result<(Vec<Follower>, SocketAddr), ContainerError> {
        let up = self.compose(docker).args(["up", "--detach", "--no-build"]);
        let finished = docker.run(up, AN_HOUR).await?;
        let mut followers = self.follow(docker).await?;
        if !finished.succeeded() {
            if followers.is_empty() && self.could_be_made(docker, &finished.stderr_tail).await? {
                return Err(none_was_made(last_line(&finished.stderr_tail)));
            }
            let log = format!("{}{}\n", last_words(&mut followers).await, finished.stderr_tail.trim());
            return Err(self.ended(log));
        }
        let Some(front) = followers.iter().position(|follower| follower.service == self.service) else {
            return Err(self.ended(last_words(&mut followers).await));
        };
        let address = self.address(docker, &followers[front].container).await?;
        loop {
            if let Some(address) = self.who_answers(address).await {
                return Ok((followers, address));
            }
            if !followers[front].program.is_running() {
                return Err(self.ended(last_words(&mut followers).await));
            }
            sleep(LOOK_EVERY).await;
        }
    }

    fn compose(&self, docker: &Docker) -> Program {
        let program = docker.program(PathBuf::from(&docker.compose[0])).args(docker.compose[1..].iter().cloned());
        program.args(["--project-name", &self.name, "--file"]).args([self.file.as_os_str()])
    }

    /// Whether nothing that the app asks for is in the way of its containers.
    async fn could_be_made(&self, docker: &Docker, said: &str) -> Result<bool, ContainerError> {
        let look = self.compose(docker).args(["config", "--quiet"]);
        let is_understood = docker.run(look, QUICK).await?.succeeded();
        Ok(is_understood && !IMPOSSIBLE.iter().any(|words| said.contains(words)))
    }

    async fn who_answers(&self, address: Option<IpAddr>) -> Option<SocketAddr> {
        for port in &self.ports {
            let target = SocketAddr::new(address?, *port);
            if timeout(ASK_LIMIT, answers(target)).await.unwrap_or(false) {
                return Some(target);
            }
        }
        None
    }

    fn ended(&self, log: String) -> ContainerError {
        ContainerError::Ended { service: self.service.clone(), log }
    }

    /// Begins to read the logs of all containers.
    async fn follow(&self, docker: &Docker) -> Result<Vec<Follower>, ContainerError> {
        let filter = format!("label={}", self.label());
        let format = "{{.ID}} {{.Label \"com.docker.compose.service\"}}";
        let words = ["ps", "--all", "--no-trunc", "--filter", &filter, "--format", format];
        let listed = docker.words("list the app's containers", &words).await?;
        let mut followers = Vec::new();
        for (container, service) in listed.lines().filter_map(|line| line.split_once(' ')) {
            let program = docker.program(SAY_ALL_TO_STDERR[0]).args(&SAY_ALL_TO_STDERR[1..]);
            let mut program = program.args([docker.program.as_os_str()]).args(["logs", "--follow", container]);
            program.log_bytes = self.log_bytes;
            let program = Foreign::spawn(&program, Stream::Null, Stream::Null, Some(docker.scratch.ledger()))?;
            followers.push(Follower { service: service.to_owned(), container: container.to_owned(), program });
        }
        Ok(followers)
    }

    /// Why nothing answered in time. Where there is not even a container, it was Docker that did not get on.
    async fn silent(&self, docker: &Docker, limit: Duration) -> ContainerError {
        let seconds = limit.as_secs_f64();
        match self.follow(docker).await {
            Err(error) => error,
            Ok(followers) if followers.is_empty() => none_was_made(format!("there was none after {seconds:.0} s")),
            Ok(mut followers) => {
                let log = last_words(&mut followers).await;
                ContainerError::Silent { service: self.service.clone(), seconds, log }
            }
        }
    }

    /// The address of a container in its network, which this machine has an end of. One that has ended has none.
    async fn address(&self, docker: &Docker, container: &str) -> Result<Option<IpAddr>, ContainerError> {
        let format = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}";
        let said = docker.words("ask for an address", &["inspect", "--format", format, container]).await?;
        Ok(said.split_whitespace().find_map(|address| address.parse().ok()))
    }

    async fn layers_hold_more(&self, docker: &Docker) -> bool {
        let filter = format!("label={}", self.label());
        let Ok(ids) = docker.words("list containers", &["ps", "--quiet", "--filter", &filter]).await else {
            return false;
        };
        let mut words = vec!["inspect", "--size", "--format", "{{.SizeRw}}"];
        words.extend(ids.split_whitespace());
        let sizes = docker.words("ask for sizes", &words).await.unwrap_or_default();
        sizes.split_whitespace().filter_map(|size| size.parse::<u64>().ok()).sum::<u64>() > self.disk_bytes
    }
}

fn none_was_made(said: String) -> ContainerError {
    ContainerError::Command { what: "make the app's containers".to_owned(), said }
}

/// Whether somebody speaks HTTP there.
async fn answers(target: SocketAddr) -> bool {
    let Ok(mut stream) = TcpStream::connect(target).await else { return false };
    let request = format!("GET / HTTP/1.1\r\nHost: {target}\r\nAccept: text/html\r\nConnection: close\r\n\r\n");
    let mut answer = [0; 5];
    stream.write_all(request.as_bytes()).await.is_ok()
        && stream.read_exact(&mut answer).await.is_ok()
        && answer == *b"HTTP/"
}

/// What all containers wrote, one after the other.
fn written(followers: &[Follower]) -> String {
    let one = |follower: &Follower| format!("[{}]\n{}\n", follower.service, follower.program.stderr_tail().trim_end());
    followers.iter().map(one).collect()
}

/// The same, when those who ended have had time to be heard.
async fn last_words(followers: &mut [Follower]) -> String {
    for follower in followers.iter_mut() {
        let _ = follower.program.wait(LAST_WORDS).await;
    }
    written(followers)
}

async fn carry(listener: TcpListener, target: SocketAddr) {
    let accept = |context: &mut Context<'_>| listener.poll_accept(context).map_ok(|(client, _)| client);
    attend(MAX_CONNECTIONS, accept, |mut client| async move {
        client.set_nodelay(true)?;
        let mut app = TcpStream::connect(target).await?;
        copy_bidirectional(&mut client, &mut app).await.map(|_| ())
    })
    .await;
}

/// Ends the app when it has written too much.
async fn watch(docker: Docker, project: Project, ended: Arc<OnceLock<String>>) {
    let layers = async {
        loop {
            sleep(LOOK_AT_DISK_EVERY).await;
            if project.layers_hold_more(&docker).await {
                let most = project.disk_bytes / MIB;
                return format!("it was ended because it had written more than {most} MiB to its disk");
            }
        }
    };
    let why = tokio::select! {
        why = layers => why,
        why = over_the_disk(&project.folder, project.disk_bytes) => why,
    };
    let _ = ended.set(why);
    let filter = format!("label={}", project.label());
    let ids = docker.words("list containers", &["ps", "--quiet", "--filter", &filter]).await.unwrap_or_default();
    let mut words = vec!["kill"];
    words.extend(ids.split_whitespace());
    let _ = docker.words("end the app", &words).await;
}

impl Running {
    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The end of what its containers have written so far.
    pub fn log(&self) -> String {
        let log = written(&self.followers);
        match self.ended.get() {
            Some(why) => format!("{log}\n[{why}]\n"),
            None => log,
        }
    }

    /// Whether the service that is looked at still runs.
    pub fn is_running(&self) -> bool {
        let front = self.followers.iter().find(|follower| follower.service == self.service);
        front.is_some_and(|follower| follower.program.identity().is_running())
    }

    /// Removes everything of it, and waits until it is gone. Whether nothing is left.
    pub async fn end(mut self) -> bool {
        for task in &self.tasks {
            task.abort();
        }
        match self.janitor.take() {
            Some(janitor) => janitor.clear().await,
            None => true,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}
