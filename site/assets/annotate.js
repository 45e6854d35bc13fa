// Keys for marks, and looking again while an app is being opened. Everything works without it.
"use strict";

const LOOK_EVERY = 2000;

for (const review of document.querySelectorAll("[data-review]")) {
  const form = review.querySelector("[data-marks]");
  const substeps = [...form.querySelectorAll("[data-substep]")];
  const frame = review.querySelector("[data-frame]");
  const radios = (substep) => [...substep.querySelectorAll("input[type=radio]")];
  const focus = (substep) => {
    const all = radios(substep);
    (all.find((radio) => radio.checked) ?? all[0]).focus();
    substep.scrollIntoView({ block: "nearest" });
  };
  const go = (from, by) => {
    const next = substeps[substeps.indexOf(from) + by];
    if (next) focus(next);
    else if (by > 0) form.querySelector("button[type=submit]").focus();
  };
  const marks = { p: "pass", f: "fail", n: "none" };

  // Keys count only while a mark has the focus, so that nobody who speaks to their computer marks by accident.
  form.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const substep = event.target.closest("[data-substep]");
    if (!substep && event.target.type !== "submit") return;
    const key = event.key.toLowerCase();
    if (substep && key in marks) {
      radios(substep).find((radio) => radio.value === marks[key]).checked = true;
      go(substep, 1);
    } else if (substep && key === "j") go(substep, 1);
    else if (key === "k") substep ? go(substep, -1) : focus(substeps.at(-1));
    else if (key === "g" && frame) frame.focus();
    else return;
    event.preventDefault();
  });

  const left = substeps.find((substep) => !radios(substep).some((radio) => radio.checked));
  if (left && frame) focus(left);

  // The same form that a reader without script sends by hand; marks on the page stay until the app is there.
  const again = review.querySelector("[data-again]");
  const look = async () => {
    try {
      const answer = await fetch(again.action, { method: "POST", body: new URLSearchParams(new FormData(again)) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (page.querySelector("[data-review]")?.dataset.opening !== "true") return again.submit();
    } catch {
      // The next time may go better.
    }
    setTimeout(look, LOOK_EVERY);
  };
  if (again) setTimeout(look, LOOK_EVERY);
}
