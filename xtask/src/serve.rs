//! `cargo xtask serve`: a bundled app, or the misbehaving server, until it is interrupted.

use crate::arguments::Arguments;
use crate::failure::{Done, Failure, Naming};
use benchwright_fixtures::{Hostile, Server, Site, app_folder};

pub fn run(mut arguments: Arguments) -> Done {
    let secured = arguments.flag("--secured");
    let name = arguments.word().unwrap_or_else(|| "harbor-coffee".to_owned());
    arguments.finish()?;
    if name == "hostile" {
        let hostile = Hostile::start().naming("serve the misbehaving pages")?;
        for (path, what) in Hostile::PATHS {
            println!("{}  {what}", hostile.url(path));
        }
        return wait_for_interrupt();
    }
    if name != "many-nodes" && !app_folder(&name).join("index.html").is_file() {
        return Err(Failure::usage(format!("there is no app `{name}` under fixtures/apps")));
    }
    let site = if secured { Site::app(&name).secured() } else { Site::app(&name) };
    let server = Server::start(site).naming("serve the app")?;
    println!("{}", server.url());
    wait_for_interrupt()
}

fn wait_for_interrupt() -> Done {
    println!("ctrl-C ends it");
    loop {
        std::thread::park();
    }
}
