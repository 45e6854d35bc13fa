//! Heads of requests and answers: what an app must not learn of the site around it, and what it must not forbid.

/// The longest head that is read.
pub const MOST_BYTES: usize = 64 * 1024;
const MOST_LINES: usize = 200;
/// Cookies of the site begin with this. They reach an app only if somebody gave both the same host, and stop here.
const OURS: &str = "benchwright_";

/// The first line of a request or an answer and its headers. Bytes are kept as characters, one for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    first: String,
    lines: Vec<(String, String)>,
}

/// The two addresses of a copy.
#[derive(Debug, Clone)]
pub struct Sides {
    /// The origin a browser knows.
    pub public: String,
    /// The port it has here.
    pub port: u16,
    /// Whether a browser keeps cookies that are only for safe connections.
    pub is_safe: bool,
}

impl Sides {
    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// An address of the app here as the browser knows it.
    fn outward(&self, address: &str) -> String {
        let here = [self.host(), format!("localhost:{}", self.port)].map(|host| format!("http://{host}"));
        moved(address, here.iter().map(String::as_str), &self.public)
    }

    fn inward(&self, address: &str) -> String {
        moved(address, [self.public.as_str()], &format!("http://{}", self.host()))
    }
}

/// An address with one origin in place of another.
fn moved<'a>(address: &str, from: impl IntoIterator<Item = &'a str>, to: &str) -> String {
    let rest = from.into_iter().find_map(|origin| {
        address.strip_prefix(origin).filter(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
    });
    rest.map_or_else(|| address.to_owned(), |rest| format!("{to}{rest}"))
}

/// Where a head ends, if it does.
pub fn end_of(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

impl Head {
    /// Reads a head with its empty line.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let text: String = bytes.strip_suffix(b"\r\n\r\n")?.iter().map(|byte| char::from(*byte)).collect();
        let mut lines = text.split("\r\n");
        let first = lines.next().filter(|line| line.contains(' '))?.to_owned();
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_graphic());
            is_name.then(|| (name.to_owned(), value.trim().to_owned()))
        };
        let lines: Vec<_> = lines.map(header).collect::<Option<_>>()?;
        let is_clean = |text: &str| !text.contains(['\r', '\n', '\0']);
        let all_clean = is_clean(&first) && lines.iter().all(|(_, value)| is_clean(value));
        (all_clean && lines.len() <= MOST_LINES).then_some(Self { first, lines })
    }

    /// As it is sent.
    pub fn written(&self) -> Vec<u8> {
        let lines = self.lines.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let text: String =
            std::iter::once(format!("{}\r\n", self.first)).chain(lines).chain(["\r\n".to_owned()]).collect();
        text.chars().map(|character| u8::try_from(character).unwrap_or(b'?')).collect()
    }

    /// The first header of a name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.lines.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn status(&self) -> Option<&str> {
        self.first.strip_prefix("HTTP/1.")?.get(2..5)
    }

    /// Whether it is an answer that another one follows.
    pub fn only_announces(&self) -> bool {
        self.status().is_some_and(|status| status.starts_with('1') && status != "101")
    }

    /// The same with other headers; a header without a value goes.
    fn with(self, change: impl Fn(&str, &str) -> Option<String>) -> Self {
        let changed = |(name, value): (String, String)| {
            let value = change(&name.to_ascii_lowercase(), &value)?;
            Some((name, value))
        };
        Self { first: self.first, lines: self.lines.into_iter().filter_map(changed).collect() }
    }

    fn and(mut self, name: &str, value: impl Into<String>) -> Self {
        self.lines.push((name.to_owned(), value.into()));
        self
    }
}

/// A request as the app gets it: as if a browser on this machine had sent it, and had nothing of the site.
pub fn to_app(request: Head, sides: &Sides) -> Head {
    let upgrades = request.value("upgrade").is_some();
    let request = request.with(|name, value| match name {
        "host" | "connection" | "keep-alive" | "proxy-connection" | "expect" | "te" | "forwarded" => None,
        name if name.starts_with("x-forwarded-") => None,
        "origin" | "referer" => Some(sides.inward(value)),
        "cookie" => without_ours(value),
        _ => Some(value.to_owned()),
    });
    request.and("Host", sides.host()).and("Connection", if upgrades { "Upgrade" } else { "close" })
}

/// An answer as the browser gets it: it may be shown in a frame, and leads nowhere but to where the browser knows the app.
pub fn to_browser(answer: Head, sides: &Sides) -> Head {
    let upgrades = answer.status() == Some("101");
    let answer = answer.with(|name, value| match name {
        "connection" | "keep-alive" | "x-frame-options" | "strict-transport-security" => None,
        "location" | "content-location" | "access-control-allow-origin" => Some(sides.outward(value)),
        "content-security-policy" | "content-security-policy-report-only" => embeddable(value),
        "set-cookie" => Some(kept_in_a_frame(value, sides.is_safe)),
        _ => Some(value.to_owned()),
    });
    answer.and("Connection", if upgrades { "Upgrade" } else { "close" })
}

fn without_ours(cookies: &str) -> Option<String> {
    let theirs: Vec<&str> = cookies.split(';').map(str::trim).filter(|pair| !pair.starts_with(OURS)).collect();
    (!theirs.is_empty()).then(|| theirs.join("; "))
}

/// A policy without what forbids frames, and without what asks for TLS where there may be none.
fn embeddable(policy: &str) -> Option<String> {
    let is_kept = |directive: &&str| {
        let name = directive.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        !name.is_empty() && !matches!(name.as_str(), "frame-ancestors" | "upgrade-insecure-requests")
    };
    let kept: Vec<&str> = policy.split(';').map(str::trim).filter(is_kept).collect();
    (!kept.is_empty()).then(|| kept.join("; "))
}

/// A browser sends cookies of a frame only if they say so, and keeps those apart by the page around the frame.
fn kept_in_a_frame(cookie: &str, is_safe: bool) -> String {
    let mut parts = cookie.split(';').map(str::trim);
    let first = parts.next().unwrap_or_default().to_owned();
    let stays = |part: &&str| {
        let name = part.split('=').next().unwrap_or_default().trim().to_ascii_lowercase();
        match name.as_str() {
            "" | "domain" => false,
            "samesite" | "secure" | "partitioned" => !is_safe,
            _ => true,
        }
    };
    let kept = parts.filter(stays).map(str::to_owned);
    let added = is_safe.then_some(["SameSite=None", "Secure", "Partitioned"]).into_iter().flatten().map(str::to_owned);
    std::iter::once(first).chain(kept).chain(added).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides() -> Sides {
        Sides { public: "http://w0-ab.localhost:4000".to_owned(), port: 5000, is_safe: true }
    }

    fn head(text: &str) -> Head {
        Head::parse(text.replace('\n', "\r\n").as_bytes()).unwrap_or_else(|| panic!("{text}"))
    }

    fn text(head: &Head) -> String {
        String::from_utf8(head.written()).unwrap().replace("\r\n", "\n")
    }

    #[test]
    fn an_app_is_asked_as_if_by_a_browser_beside_it_and_learns_nothing_of_the_site() {
        let asked = head(
            "POST /a?b HTTP/1.1\nHost: w0-ab.localhost:4000\nConnection: keep-alive\nOrigin: http://w0-ab.localhost:4000\n\
             Referer: http://w0-ab.localhost:4000/x\nCookie: benchwright_form=1; sid=2; benchwright_reading=bw_3\n\
             X-Forwarded-For: 10.1.2.3\nAccept: */*\n\n",
        );
        assert_eq!(
            text(&to_app(asked, &sides())),
            "POST /a?b HTTP/1.1\nOrigin: http://127.0.0.1:5000\nReferer: http://127.0.0.1:5000/x\nCookie: sid=2\nAccept: */*\n\
             Host: 127.0.0.1:5000\nConnection: close\n\n"
        );
        let alone =
            head("GET / HTTP/1.1\nHost: x\nCookie: benchwright_form=1\nUpgrade: websocket\nConnection: Upgrade\n\n");
        assert_eq!(
            text(&to_app(alone, &sides())),
            "GET / HTTP/1.1\nUpgrade: websocket\nHost: 127.0.0.1:5000\nConnection: Upgrade\n\n"
        );
    }

    #[test]
    fn an_app_may_be_framed_whatever_it_says_and_leads_to_where_the_browser_knows_it() {
        let answered = head(
            "HTTP/1.1 302 Found\nX-Frame-Options: DENY\nStrict-Transport-Security: max-age=1\nLocation: http://localhost:5000/in\n\
             Content-Security-Policy: default-src 'self'; FRAME-ANCESTORS 'none'; upgrade-insecure-requests\nKeep-Alive: timeout=5\n\
             Content-Security-Policy: frame-ancestors 'none'\nSet-Cookie: sid=1; Path=/; HttpOnly; SameSite=Lax; Domain=localhost\n\n",
        );
        assert_eq!(
            text(&to_browser(answered, &sides())),
            "HTTP/1.1 302 Found\nLocation: http://w0-ab.localhost:4000/in\nContent-Security-Policy: default-src 'self'\n\
             Set-Cookie: sid=1; Path=/; HttpOnly; SameSite=None; Secure; Partitioned\nConnection: close\n\n"
        );
        let elsewhere = head("HTTP/1.1 302 Found\nLocation: http://localhost:50001/in\n\n");
        assert!(text(&to_browser(elsewhere, &sides())).contains("http://localhost:50001/in"));
        assert_eq!(kept_in_a_frame("a=b; SameSite=Lax; Domain=x", false), "a=b; SameSite=Lax");
    }

    #[test]
    fn what_is_no_head_is_not_read() {
        for wrong in [
            "GET / HTTP/1.1\r\n folded: 1\r\n\r\n",
            "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "GET / HTTP/1.1\r\na: b\nc: d\r\n\r\n",
            "GET / HTTP/1.1\r\na b: c\r\n\r\n",
            "nothing\r\n\r\n",
            "GET / HTTP/1.1\r\n",
        ] {
            assert_eq!(Head::parse(wrong.as_bytes()), None, "{wrong:?}");
        }
        let latin = b"HTTP/1.1 200 OK\r\nx: \xe9\r\n\r\n";
        assert_eq!(Head::parse(latin).unwrap().written(), latin);
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(MOST_LINES + 1));
        assert_eq!(Head::parse(many.as_bytes()), None);
        assert!(Head::parse(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap().only_announces());
        assert!(!Head::parse(b"HTTP/1.1 101 Switching\r\n\r\n").unwrap().only_announces());
    }
}
