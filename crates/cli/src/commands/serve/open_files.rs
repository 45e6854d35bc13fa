//! Every connection is an open file, and many systems begin a process with room for a thousand.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What a site opens besides: its index, runs that are read, assets.
const BESIDES: u64 = 200;

/// Takes as much room as the system allows, and says where that is less than so many connections need.
pub fn make_room_for(connections: usize) {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // Where it is refused, what was there before counts.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let needed = connections as u64 + BESIDES;
    if let Some(room) = getrlimit(Resource::Nofile).current.filter(|room| *room < needed) {
        eprintln!(
            "benchwright: the system allows {room} open files, so fewer than {connections} connections; allow {needed} \
             (`ulimit -Hn {needed}`, or `LimitNOFILE={needed}` of a systemd unit)"
        );
    }
}
