// The files of a folder that was made for us: it holds no links, and what is not to be looked at was left out.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Paths below a folder, relative to it, in one order on every machine. */
export function filesBelow(folder, skippedFolders = []) {
  const found = [];
  const folders = [''];
  while (folders.length > 0) {
    const current = folders.pop();
    for (const entry of readdirSync(path.join(folder, current), { withFileTypes: true })) {
      const relative = current === '' ? entry.name : `${current}/${entry.name}`;
      if (entry.isFile()) found.push(relative);
      else if (entry.isDirectory() && !skippedFolders.includes(entry.name)) folders.push(relative);
    }
  }
  return found.sort();
}

/** The text of a file, without the mark some editors put in front. */
export function textOf(file) {
  const text = readFileSync(file, 'utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Lines that hold anything but white space. */
export function linesOfCode(text) {
  return text.match(/^.*\S.*$/gm)?.length ?? 0;
}
