//! nginx from Debian, set up to serve a few files as fast as it can.

use crate::call::{Call, find_program};
use crate::failure::{Failure, Naming};
use crate::setup;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A running nginx, ended with this.
pub(super) struct Nginx {
    child: Child,
    folder: PathBuf,
    program: PathBuf,
    port: u16,
}

impl Nginx {
    /// `folder` gets the settings and `files/`, from which it serves.
    pub fn start(folder: &Path) -> Result<Self, Failure> {
        let program = program()?;
        fs::create_dir_all(folder.join("files")).naming("make a folder for nginx")?;
        let port = TcpListener::bind("127.0.0.1:0").and_then(|taken| taken.local_addr()).naming("find a port")?.port();
        fs::write(folder.join("nginx.conf"), settings(folder, port)).naming("write the settings of nginx")?;
        let child = base(&program, folder).into_command().stderr(Stdio::null()).spawn().naming("start nginx")?;
        let nginx = Self { child, folder: folder.to_owned(), program, port };
        let begun = Instant::now();
        while TcpStream::connect(nginx.host()).is_err() {
            if begun.elapsed() > Duration::from_secs(10) {
                return Err(Failure::environment("nginx did not begin to listen"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(nginx)
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Serves these bytes under a name, and compressed ones to those who accept them.
    pub fn put(&self, name: &str, plain: &[u8], gzip: &[u8]) -> Result<(), Failure> {
        let file = self.folder.join("files").join(name);
        fs::write(&file, plain).naming("write a file for nginx")?;
        fs::write(file.with_extension("html.gz"), gzip).naming("write a file for nginx")
    }

    pub fn version(&self) -> String {
        // It says so on its standard error.
        let said = base(&self.program, &self.folder).arg("-v").into_command().output();
        said.map(|said| String::from_utf8_lossy(&said.stderr).trim().replace("nginx version: nginx/", "nginx "))
            .unwrap_or_default()
    }
}

impl Drop for Nginx {
    /// Its workers would outlive a master that is killed.
    fn drop(&mut self) {
        let _ = base(&self.program, &self.folder).words("-s stop").text();
        let _ = self.child.wait();
    }
}

fn program() -> Result<PathBuf, Failure> {
    setup::debian_package("nginx", "nginx-light")?;
    let of_debian = PathBuf::from("/usr/sbin/nginx");
    find_program(&["nginx"])
        .or_else(|| Some(of_debian).filter(|program| program.is_file()))
        .ok_or_else(|| Failure::environment("nginx is missing"))
}

fn base(program: &Path, folder: &Path) -> Call {
    Call::new(program).arg("-p").arg(folder).arg("-c").arg(folder.join("nginx.conf")).arg("-e").arg("stderr")
}

/// As many workers as our site has, nothing written down, files kept open, and connections that live as long as the client likes.
fn settings(folder: &Path, port: u16) -> String {
    let folder = folder.display();
    format!(
        "daemon off;
worker_processes 2;
pid {folder}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
  types {{ text/html html; }}
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000000;
  open_file_cache max=100 inactive=60s;
  gzip_static on;
  server {{ listen 127.0.0.1:{port}; root {folder}/files; }}
}}
"
    )
}
