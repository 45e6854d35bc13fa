// The page works without this: every moment has an address. This adds keys, a slider, and a mark on the moment that is shown.
const replay = document.querySelector("[data-replay]");
const frames = replay ? [...replay.querySelectorAll(".stage .frame")] : [];
const reel = replay?.querySelector("[data-reel]");
if (reel && frames.length > 0) {
  const slider = reel.querySelector("input");
  const told = reel.querySelector("output");
  const links = new Map(frames.map((frame) => [frame.id, replay.querySelectorAll(`a[href="#${CSS.escape(frame.id)}"]`)]));
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const here = () => Math.max(0, frames.findIndex((frame) => `#${frame.id}` === decodeURIComponent(location.hash)));
  const mark = () => {
    const at = here();
    slider.value = String(at + 1);
    told.textContent = `${at + 1} of ${frames.length}`;
    for (const [id, all] of links) {
      for (const link of all) {
        if (id === frames[at].id) link.setAttribute("aria-current", "step");
        else link.removeAttribute("aria-current");
      }
    }
    const strip = replay.querySelector(".film");
    const shown = strip?.querySelector("[aria-current]")?.parentElement;
    if (shown) strip.scrollTo({ left: shown.offsetLeft - strip.offsetLeft - 200, behavior: still ? "auto" : "smooth" });
  };
  const go = (at) => {
    const top = scrollY;
    location.hash = frames[Math.min(frames.length - 1, Math.max(0, at))].id;
    // The page stays where it is: the moment is already in view.
    scrollTo({ top, behavior: "instant" });
  };
  const keys = { ArrowRight: () => go(here() + 1), ArrowLeft: () => go(here() - 1), Home: () => go(0), End: () => go(frames.length - 1) };
  addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (isTyping || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  slider.addEventListener("input", () => go(Number(slider.value) - 1));
  addEventListener("hashchange", mark);
  reel.hidden = false;
  mark();
}
