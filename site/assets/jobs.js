// Makes the forms livelier. Everything works without it.
"use strict";

// Submitting: drop a file anywhere on its field, and see how much of it has arrived.
for (const form of document.querySelectorAll("form[data-submit]")) {
  const field = form.querySelector("input[type=file]");
  const bar = form.querySelector("progress");
  const place = form.querySelector("[data-drop]");
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("dropping");
  });
  place.addEventListener("dragleave", () => place.classList.remove("dropping"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("dropping");
    if (event.dataTransfer.files.length === 1) field.files = event.dataTransfer.files;
  });
  let isOnItsWay = false;
  // Whoever comes back to this page with the browser's own button may send it again.
  addEventListener("pageshow", () => (isOnItsWay = false));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (isOnItsWay) return;
    const most = Number(form.dataset.most);
    if (field.files[0]?.size > most) {
      say(`This ZIP is too large: at most ${Math.floor(most / 1024 / 1024)} MB are taken.`);
      return;
    }
    isOnItsWay = true;
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.hidden = false;
      bar.value = total > 0 ? (100 * loaded) / total : 0;
    });
    request.addEventListener("load", () => {
      if (request.status < 400) {
        location.assign(request.responseURL);
        return;
      }
      // What is wrong stands on the page that came back; what was typed stays on this one.
      const answer = new DOMParser().parseFromString(request.responseText, "text/html");
      say(answer.querySelector("[role=alert]")?.textContent ?? "This was not taken. Try again.");
      const fresh = answer.querySelector("input[name=form]");
      if (fresh) form.querySelector("input[name=form]").value = fresh.value;
    });
    request.addEventListener("abort", () => (isOnItsWay = false));
    request.addEventListener("error", () => say("It did not arrive. Look at your connection and try again."));
    request.send(new FormData(form));
  });
  const say = (text) => {
    bar.hidden = true;
    let alert = document.getElementById("problem");
    if (!alert) {
      alert = document.createElement("p");
      alert.id = "problem";
      alert.className = "error";
      alert.setAttribute("role", "alert");
      form.before(alert);
    }
    alert.textContent = text;
    isOnItsWay = false;
  };
}

// Watching: events as they happen, or by asking again and again where that is not possible.
for (const job of document.querySelectorAll("[data-job]")) {
  if (job.dataset.over === "true") continue;
  const address = `/api/v1/jobs/${job.dataset.job}/events`;
  let after = Number(job.dataset.after);
  const show = ({ job: now, events }) => {
    job.querySelector("[data-state]").textContent = now.state;
    job.querySelector("[data-cost]").textContent = now.cost_usd.toFixed(2);
    for (const event of events) {
      if (event.sequence <= after) continue;
      after = event.sequence;
      list(event);
      if (event.lane !== "job") lane(event);
    }
  };
  const list = ({ at, lane, text }) => {
    const item = document.createElement("li");
    const time = document.createElement("time");
    time.dateTime = at;
    time.textContent = at.slice(11, 19) || at;
    const name = document.createElement("b");
    name.textContent = lane;
    const words = document.createElement("span");
    words.textContent = text;
    item.append(time, " ", name, " ", words);
    job.querySelector("[data-events]").append(item);
  };
  const lane = ({ lane: name, text }) => {
    const lanes = job.querySelector("[data-lanes]");
    let term = [...lanes.querySelectorAll("dt")].find((term) => term.textContent === name);
    if (!term) {
      job.querySelector("[data-nothing]")?.remove();
      const row = document.createElement("div");
      term = document.createElement("dt");
      term.textContent = name;
      row.append(term, document.createElement("dd"));
      lanes.append(row);
    }
    term.nextElementSibling.textContent = text;
  };
  const over = () => location.reload();
  const ask = async () => {
    try {
      const answer = await fetch(`${address}?after=${after}`, { headers: { accept: "application/json" } });
      const news = await answer.json();
      if (answer.ok) show(news);
      if (answer.ok && news.job.ended_at) return over();
    } catch {
      // The next time may go better.
    }
    setTimeout(ask, 3000);
  };
  if (typeof EventSource === "undefined") {
    ask();
    continue;
  }
  const source = new EventSource(`${address}?after=${after}`);
  source.addEventListener("news", (event) => show(JSON.parse(event.data)));
  source.addEventListener("end", (event) => {
    source.close();
    show(JSON.parse(event.data));
    over();
  });
  source.addEventListener("error", () => {
    if (source.readyState !== EventSource.CLOSED) return;
    ask();
  });
}
