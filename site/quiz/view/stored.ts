// Model files that this browser keeps for this site.

import type { Room } from "../engine/device.ts";
import type { StoredFile } from "../engine/stored.ts";
import { button, h } from "./dom.ts";
import { bytes } from "./numbers.ts";

export interface StoredNeeds {
  files: readonly StoredFile[];
  room: Room | null;
  isPersistent: boolean;
  onRemove(file: StoredFile): void;
  onRemoveAll(): void;
  onPersist(): void;
}

export function stored({ files, room, isPersistent, onRemove, onRemoveAll, onPersist }: StoredNeeds): HTMLElement {
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  const rows = files.map((file) =>
    h(
      "li",
      {},
      h("span", { class: "name" }, file.name),
      h("span", { class: "quiet" }, `${file.engine}${file.complete ? "" : ", incomplete: a download goes on from here"}`),
      h("span", { class: "number" }, bytes(file.bytes)),
      h("button", { type: "button", class: "link danger", click: () => onRemove(file) }, "Remove", h("span", { class: "unseen" }, ` ${file.name}`)),
    ),
  );
  const used = room ? `${bytes(room.used)} of ${bytes(room.quota)} used by this site in all.` : "The browser does not say how much room there is.";
  return h(
    "section",
    { class: "quiz-stored", "aria-labelledby": "quiz-stored" },
    h("h2", { id: "quiz-stored" }, "Stored models"),
    h("p", { class: "lead" }, `Downloaded once, and kept so that the next run begins at once. ${used}`),
    files.length === 0 ? h("p", {}, "Nothing is stored.") : h("ul", { class: "quiz-files" }, ...rows),
    files.length > 0 && h("p", { class: "quiz-sum" }, `${bytes(total)} in all. `, isPersistent ? "The browser will not remove them by itself." : "The browser may remove them when the disk is full."),
    h("p", { class: "quiz-buttons" }, files.length > 0 && button("Remove all", onRemoveAll, "danger"), files.length > 0 && !isPersistent && button("Ask the browser to keep them", onPersist, "plain")),
  );
}
