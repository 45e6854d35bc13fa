//! Which addresses belong to the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is one that anybody on the internet may talk to. Everything else (this machine, its network, the cloud's
/// metadata service, addresses that only wrap such a one) is local.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

/// Names that mean something local, where a proxy resolves them and we cannot look at the address.
pub(crate) fn is_local_name(host: &str) -> bool {
    let local_ends = [".localhost", ".local", ".internal", ".lan", ".home.arpa"];
    host == "localhost"
        || host.parse().is_ok_and(|address| !is_public(address))
        || !host.contains(['.', ':'])
        || local_ends.iter().any(|end| host.ends_with(end))
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224.., ..)          // this network, private, loopback, multicast and reserved
            | (100, 64..=127, _)            // carrier-grade NAT
            | (169, 254, _)                 // link-local, with the metadata service
            | (172, 16..=31, _)             // private
            | (192, 168, _)                 // private
            | (192, 0, 0 | 2)               // protocol assignments, documentation
            | (192, 88, 99)                 // relays of 6to4
            | (198, 18..=19, _)             // benchmarks
            | (198, 51, 100)                // documentation
            | (203, 0, 113) // documentation
    );
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(v4) = wrapped_v4(address) {
        return is_public_v4(v4);
    }
    match address.segments() {
        [0x2001, 0 | 0xdb8, ..] => false,        // Teredo, documentation
        [first, ..] => first & 0xe000 == 0x2000, // only 2000::/3 is global
    }
}

/// The IPv4 address inside an IPv6 address that merely carries one.
fn wrapped_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let last = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match address.segments() {
        // Compatible and mapped, translated, NAT64, 6to4.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] if high != 0 || low > 1 => last(high, low),
        [0, 0, 0, 0, 0xffff, 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            last(high, low)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_internet_is_public() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.215.14",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
            "2a00:1450::1",
            "64:ff9b::808:808",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn this_machine_its_network_and_every_way_to_wrap_them_are_local() {
        let local = [
            "127.0.0.1",
            "127.255.255.254",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.127.255.255",
            "198.18.0.1",
            "192.0.0.192",
            "192.0.2.1",
            "203.0.113.5",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "::ffff:0:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "100::1",
            "5f00::1",
        ];
        for text in local {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn names_that_mean_something_local_are_told_from_public_ones() {
        for name in ["metadata.google.internal", "intranet", "localhost", "127.0.0.1", "64:ff9b::a00:1"] {
            assert!(is_local_name(name), "{name}");
        }
        assert!(!is_local_name("npm.example.com") && !is_local_name("1.1.1.1"));
    }
}
