//! Which switches the browser gets, and why.

/// For every launch: nothing talks to the network by itself, nothing pops up, nothing depends on the user's desktop.
const COMMON: [&str; 20] = [
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--lang=en-US",
];

/// Where pages are looked at: the same pixels on every machine.
const LOOKING: [&str; 6] = [
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
];

/// Where Lighthouse measures: what its own launcher gives Chrome, because the published thresholds were tuned with it.
/// Left out are only switches that have no effect headless or that `COMMON` has already.
const MEASURING: [&str; 6] = [
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    "--disable-ipc-flooding-protection",
    "--force-fieldtrials=*BackgroundTracing/default/",
    "--propagate-iph-for-testing",
];

/// One switch, because a second `--disable-features` would replace the first. The list is that of Lighthouse's launcher
/// and holds for both kinds of launch: background fetches, occlusion guesses and document swaps belong to neither. The last two are ours:
/// without them every window starts a renderer of its own for the pop-up under an address bar that nobody sees, a second of CPU time each.
const DISABLED_FEATURES: [&str; 12] = [
    "Translate",
    "OptimizationHints",
    "MediaRouter",
    "DialMediaRouteProvider",
    "CalculateNativeWinOcclusion",
    "InterestFeedContentSuggestions",
    "CertificateTransparencyComponentUpdater",
    "AutofillServerCommunication",
    "PrivacySandboxSettings4",
    "RenderDocument",
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
];

/// The switches of a launch, without those that name folders and channels.
pub(super) fn flags(measuring: bool, as_root: bool) -> Vec<String> {
    let purpose = if measuring { &MEASURING } else { &LOOKING };
    let mut flags: Vec<String> = COMMON.iter().chain(purpose).map(ToString::to_string).collect();
    flags.push(format!("--disable-features={}", DISABLED_FEATURES.join(",")));
    if as_root {
        // Chromium refuses to build its own sandbox as root.
        flags.push("--no-sandbox".to_owned());
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::flags;

    #[test]
    fn the_browsers_own_sandbox_is_given_up_only_as_root() {
        assert!(flags(false, true).contains(&"--no-sandbox".to_owned()));
        for measuring in [false, true] {
            assert!(!flags(measuring, false).iter().any(|flag| flag.contains("sandbox")));
        }
    }

    #[test]
    fn features_are_disabled_by_one_switch() {
        for measuring in [false, true] {
            let all = flags(measuring, false);
            assert_eq!(all.iter().filter(|flag| flag.starts_with("--disable-features=")).count(), 1);
            let mut distinct = all.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), all.len(), "no switch is given twice");
        }
    }
}
