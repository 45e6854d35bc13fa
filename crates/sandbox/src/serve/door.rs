//! The way into the walls: a socket that the relay inside makes, in the one folder it shares with us.

#[cfg(target_os = "linux")]
use rustix::fs::{FileType, Mode, OFlags};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

const MAX_CONNECTIONS: usize = 512;
/// More than the relay ever makes.
const MAX_ENTRIES: usize = 100;

/// The socket of the relay. What is behind the walls can write to its folder, and could put a link to a socket of this machine in
/// its place; so it is opened once, without following links, and only ever reached through what was opened.
#[derive(Debug)]
pub struct Door {
    socket: OwnedFd,
    /// The port behind it.
    pub port: u16,
}

impl Door {
    /// The door in a folder, once the relay has opened it.
    pub fn find(folder: &Path) -> Option<Self> {
        let entries = std::fs::read_dir(folder).ok()?.take(MAX_ENTRIES).flatten();
        entries
            .filter_map(|entry| Some((entry.path(), entry.file_name().to_str()?.strip_suffix(".sock")?.parse().ok()?)))
            .find_map(|(path, port)| Some(Self { socket: socket(&path)?, port }))
    }

    async fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(format!("/proc/self/fd/{}", self.socket.as_raw_fd())).await
    }

    /// Carries every connection through the door, for ever.
    pub async fn carry(self, listener: TcpListener) {
        let door = Arc::new(self);
        let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut carried = JoinSet::new();
        while let Ok(permit) = Arc::clone(&free).acquire_owned().await {
            let Ok((client, _)) = listener.accept().await else { continue };
            let door = Arc::clone(&door);
            carried.spawn(async move {
                // A connection that breaks is the browser's to notice.
                let _ = door.through(client).await;
                drop(permit);
            });
            while carried.try_join_next().is_some() {}
        }
    }

    async fn through(&self, mut client: TcpStream) -> io::Result<()> {
        client.set_nodelay(true)?;
        let mut app = self.connect().await?;
        copy_bidirectional(&mut client, &mut app).await.map(|_| ())
    }
}

/// Opens the socket itself, not what a link says it is.
#[cfg(target_os = "linux")]
fn socket(path: &Path) -> Option<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let found = rustix::fs::fstat(&opened).ok()?;
    (FileType::from_raw_mode(found.st_mode) == FileType::Socket).then_some(opened)
}

/// There are no walls elsewhere, and so no doors.
#[cfg(not(target_os = "linux"))]
fn socket(_: &Path) -> Option<OwnedFd> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[tokio::test]
    async fn a_link_to_a_socket_of_this_machine_is_no_door() {
        let folder = tempfile::tempdir().unwrap();
        let (ours, shared) = (folder.path().join("ours"), folder.path().join("shared"));
        std::fs::create_dir(&shared).unwrap();
        let _daemon = UnixListener::bind(&ours).unwrap();
        std::os::unix::fs::symlink(&ours, shared.join("80.sock")).unwrap();
        std::fs::write(shared.join("81.sock"), "no socket").unwrap();
        assert!(Door::find(&shared).is_none());
        let listener = UnixListener::bind(shared.join("3000.sock")).unwrap();
        let door = Door::find(&shared).unwrap();
        assert_eq!(door.port, 3000);
        std::fs::remove_file(shared.join("3000.sock")).unwrap();
        std::os::unix::fs::symlink(&ours, shared.join("3000.sock")).unwrap();
        door.connect().await.unwrap();
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_ok(), "the socket that was opened is the one that is reached");
    }
}
