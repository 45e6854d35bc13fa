use super::janitor::Janitor;
use super::{ContainerError, Docker, SERVER_VERSION};
use crate::Result;
use crate::allowance::Allowance;
use crate::egress::{Endpoint, is_local_name, is_public, resolve};
use crate::packages::{Egress, RegistryAccess, failure};
use crate::process::{Finished, Program};
use crate::serve::SAY_ALL_TO_STDERR;
use serde_json::Value;
use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// What a build may say before its beginning is forgotten.
const LOG_BYTES: usize = 512 * 1024;
const LABEL: &str = "benchwright.images";

/// The images of one app. They go with this value.
#[derive(Debug)]
pub struct Images {
    docker: Docker,
    name: String,
    janitor: Option<Janitor>,
}

/// An image that is made from the app's own recipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// The service it is for.
    pub service: String,
    /// The folder that is sent to the builder.
    pub context: PathBuf,
    /// The recipe.
    pub dockerfile: PathBuf,
    /// Values of its arguments.
    pub arguments: Vec<(String, String)>,
    /// The stage to build, if not the last.
    pub target: Option<String>,
}

/// What registries, and those who ask them, say of an image that they do not have.
const UNKNOWN: [&str; 7] = [
    "manifest unknown",
    "manifest for ",
    "no matching manifest",
    "pull access denied",
    "repository does not exist",
    ": not found",
    "invalid reference format",
];

/// Hosts beside those of npm's packages that images are made from. If one of them cannot be reached, the fault is on our side.
const OF_IMAGES: [&str; 8] = [
    "archive.ubuntu.com",
    "deb.debian.org",
    "dl-cdn.alpinelinux.org",
    "files.pythonhosted.org",
    "ports.ubuntu.com",
    "pypi.org",
    "security.debian.org",
    "security.ubuntu.com",
];

/// An image that somebody else made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base(pub String);

impl Base {
    /// Where it would be fetched from, if its name says so; Docker's own registry, if not.
    fn registry(&self) -> Option<Endpoint> {
        let (first, _) = self.0.split_once('/')?;
        let is_host = first.contains(['.', ':']) || first == "localhost" || first.contains(char::is_uppercase);
        is_host.then(|| Endpoint::parse(first, 443))?
    }

    /// Whether Docker, which is in no sandbox, would have to ask this machine or its network for it.
    async fn is_local(&self) -> bool {
        let Some(Endpoint { host, port }) = self.registry() else { return false };
        is_local_name(&host) || resolve(&host, port).await.iter().any(|address| !is_public(address.ip()))
    }
}

impl Images {
    /// Begins with none. `name` is unlike any other on this machine, in letters, digits and dashes.
    pub fn begin(docker: Docker, name: String) -> Result<Self> {
        let janitor = Some(Janitor::wait_for_the_end(&docker, &format!("{LABEL}={name}"))?);
        Ok(Self { docker, name, janitor })
    }

    /// Whom to ask for more.
    pub fn docker(&self) -> &Docker {
        &self.docker
    }

    /// The name of a service's image.
    pub fn name_of(&self, service: &str) -> String {
        format!("{}-{}", self.name, service.to_lowercase())
    }

    /// Sees to it that somebody else's image is there.
    pub async fn fetch(&self, base: &Base, limit: Duration) -> Result<(), ContainerError> {
        let Base(image) = base;
        let present = ["image", "inspect", "--format", "{{.Id}}", image];
        if self.docker.words("look for an image", &present).await.is_ok() {
            return Ok(());
        }
        if base.is_local().await {
            let said = "its registry would be this machine, or one of its network".to_owned();
            return Err(ContainerError::NoImage { image: image.clone(), said });
        }
        let program = self.docker.program(&self.docker.program).args(["pull", "--quiet", image]);
        let finished = self.docker.run(program, limit).await?;
        if finished.succeeded() {
            return Ok(());
        }
        Err(not_fetched(image, super::last_line(&finished.stderr_tail)))
    }

    /// The steps that an image that is there adds to every build on top of it.
    pub async fn triggers(&self, Base(image): &Base) -> Result<Vec<String>, ContainerError> {
        let what = "look at an image";
        let told = self.docker.words(what, &["image", "inspect", image]).await?;
        let unreadable =
            |error: serde_json::Error| ContainerError::Command { what: what.to_owned(), said: error.to_string() };
        let images: Value = serde_json::from_str(&told).map_err(unreadable)?;
        let steps = images[0]["Config"]["OnBuild"].as_array().into_iter().flatten();
        Ok(steps.filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// Builds an image. What it runs has no network but a proxy of ours, which leads to the registry and to public addresses. `registries` are
    /// the hosts that everybody's packages come from: if they failed us, nobody has tried whether the image can be built.
    pub async fn build(
        &self,
        build: &Build,
        access: &RegistryAccess,
        registries: &[String],
        allowance: &Allowance,
        limit: Duration,
    ) -> Result<(), ContainerError> {
        let network = format!("{}-build", self.name);
        let gateway = self.make_network(&network).await?;
        let egress = Egress::listen(gateway, access).await?;
        let proxy = egress.address().map(|address| format!("http://{address}")).unwrap_or_default();
        let words = self.words(build, &network, &proxy, allowance);
        let shell = self.docker.program(SAY_ALL_TO_STDERR[0]).args(&SAY_ALL_TO_STDERR[1..]).args(words);
        let program = Program { log_bytes: LOG_BYTES, ..shell };
        let finished = self.docker.run(program, limit).await?;
        let _ = self.docker.words("remove a network", &["network", "rm", &network]).await;
        if finished.succeeded() {
            return Ok(());
        }
        self.remove_half_made(&finished.stderr_tail).await;
        self.docker.words("reach Docker after a build that failed", &SERVER_VERSION).await?;
        if let Some(error) = lost_packages(build, &finished, &egress, registries) {
            return Err(error);
        }
        let how = match finished.status {
            Some(_) => "it failed".to_owned(),
            None => format!("it was not done within {:.0} s", limit.as_secs_f64()),
        };
        Err(ContainerError::Build { service: build.service.clone(), how, log: finished.stderr_tail })
    }

    fn words(&self, build: &Build, network: &str, proxy: &str, allowance: &Allowance) -> Vec<OsString> {
        let label = format!("{LABEL}={}", self.name);
        let memory = allowance.memory_bytes.to_string();
        let quota = format!("{:.0}", allowance.cpus * 100_000.0);
        let mut words: Vec<OsString> = vec![self.docker.program.clone().into()];
        words.extend(["build", "--force-rm", "--network", network, "--label", &label].map(Into::into));
        words.extend(["--memory", &memory, "--memory-swap", &memory, "--cpu-quota", &quota].map(Into::into));
        words.extend(["--tag", &self.name_of(&build.service), "--file"].map(Into::into));
        words.push(build.dockerfile.clone().into());
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            words.extend(["--build-arg".into(), format!("{name}={proxy}").into()]);
        }
        for (name, value) in &build.arguments {
            words.extend(["--build-arg".into(), format!("{name}={value}").into()]);
        }
        if let Some(target) = &build.target {
            words.extend(["--target".into(), target.into()]);
        }
        words.push(build.context.clone().into());
        words
    }

    /// A network that leads nowhere but to this machine's end of it. Returns the address of that end.
    async fn make_network(&self, name: &str) -> Result<IpAddr, ContainerError> {
        let label = format!("{LABEL}={}", self.name);
        let _ = self.docker.words("remove a network", &["network", "rm", name]).await;
        self.docker
            .words("make a network for a build", &["network", "create", "--internal", "--label", &label, name])
            .await?;
        let format = "{{range .IPAM.Config}}{{.Gateway}} {{end}}";
        let said = self.docker.words("ask for an address", &["network", "inspect", "--format", format, name]).await?;
        let unknown = || ContainerError::Command { what: "use the network of a build".to_owned(), said: said.clone() };
        said.split_whitespace().find_map(|address| address.parse().ok()).ok_or_else(unknown)
    }

    /// A build that failed leaves its layers without a name and without a label.
    async fn remove_half_made(&self, log: &str) {
        let layers: Vec<&str> = log.lines().filter_map(|line| line.trim().strip_prefix("---> ")).collect();
        for layer in layers.into_iter().rev().filter(|layer| layer.chars().all(|c| c.is_ascii_hexdigit())) {
            let names = ["image", "inspect", "--format", "{{len .RepoTags}}", layer];
            if self.docker.words("look at a layer", &names).await.is_ok_and(|count| count == "0") {
                let _ = self.docker.words("remove a layer", &["rmi", layer]).await;
            }
        }
    }

    /// Removes all of them, and waits until they are gone. Whether nothing is left.
    pub async fn remove(mut self) -> bool {
        match self.janitor.take() {
            Some(janitor) => janitor.clear().await,
            None => true,
        }
    }
}

/// Whose fault it is that an image cannot be fetched: the app's, if a registry answers that there is none; else that of this machine.
fn not_fetched(image: &str, said: String) -> ContainerError {
    let image = image.to_owned();
    if UNKNOWN.iter().any(|words| said.contains(words)) {
        ContainerError::NoImage { image, said }
    } else {
        ContainerError::Command { what: format!("fetch the image {image}"), said }
    }
}

/// What came between a build and the packages it asked for, as far as that is not the app's doing.
fn lost_packages(build: &Build, finished: &Finished, egress: &Egress, registries: &[String]) -> Option<ContainerError> {
    let hosts: Vec<String> = registries.iter().cloned().chain(OF_IMAGES.map(str::to_owned)).collect();
    let traffic = egress.traffic();
    let host = failure::lost_host(finished, &traffic, &hosts)?;
    let what = format!("build the image of the service `{}`", build.service);
    Some(ContainerError::Command { what, said: format!("{host}, where packages come from, could not be reached") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_that_nobody_has_is_the_fault_of_whoever_asks_for_it() {
        let is_environment = |said: &str| not_fetched("acme/db:9", said.to_owned()).is_environment();
        for said in [
            "Error response from daemon: manifest for acme/db:9 not found: manifest unknown: manifest unknown",
            "Error response from daemon: pull access denied for acme/db, repository does not exist or may require 'docker login'",
            "failed to resolve reference \"docker.io/acme/db:9\": docker.io/acme/db:9: not found",
            "no matching manifest for linux/amd64 in the manifest list entries",
            "invalid reference format: repository name must be lowercase",
        ] {
            assert!(!is_environment(said), "{said}");
        }
        for said in [
            "Get \"https://registry-1.docker.io/v2/\": dial tcp: lookup registry-1.docker.io: no such host",
            "toomanyrequests: You have reached your pull rate limit.",
            "net/http: TLS handshake timeout",
            "",
        ] {
            assert!(is_environment(said), "{said}");
        }
    }

    #[test]
    fn a_registry_is_told_from_the_first_part_of_a_name() {
        let registry = |name: &str| Base(name.to_owned()).registry().map(|endpoint| endpoint.to_string());
        for name in ["node:22-alpine", "acme/app:1", "acme/deep/app"] {
            assert_eq!(registry(name), None, "{name}");
        }
        assert_eq!(registry("ghcr.io/acme/app:1").as_deref(), Some("ghcr.io:443"));
        assert_eq!(registry("localhost:5000/app").as_deref(), Some("localhost:5000"));
        assert_eq!(registry("Intranet/app").as_deref(), Some("intranet:443"));
    }

    #[tokio::test]
    async fn docker_is_not_sent_to_this_machine_or_its_network_for_an_image() {
        for registry in
            ["127.0.0.1:8080", "localhost", "169.254.169.254", "10.0.0.1:5000", "127.1", "intranet:5000", "a.local"]
        {
            assert!(Base(format!("{registry}/app")).is_local().await, "{registry}");
        }
        assert!(!Base("node:22-alpine".to_owned()).is_local().await);
        assert!(!Base("1.1.1.1/app".to_owned()).is_local().await);
    }
}
