// Starts an app behind the walls, finds out where it listens, and opens a door to it: a socket in a folder that is shared with our
// own process, named after the port. The app is told a port and may listen on another.
import { spawn } from 'node:child_process';
import { readFileSync, renameSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { constants } from 'node:os';

const [settings, program, ...words] = process.argv.slice(1);
const { door, folder, port: told, ports } = JSON.parse(settings);

// Where apps listen that were told nothing, or do not listen to what they are told.
const USUAL = [told, 3000, 5173, 4173, 8080, 8000, 5000, 4321, 4200, 1234];
const LOOK_EVERY = 100;
const ASK_AGAIN_AFTER = 1000;
// How long a port that answers with something else than a page waits for one that answers with a page.
const PATIENCE = 10_000;
const LISTENING = '0A';

const reversed = (hex) => hex.match(/../g).reverse();
const ipv4 = (hex) => reversed(hex).map((byte) => parseInt(byte, 16)).join('.');
const ipv6 = (hex) => {
  const words = hex.match(/.{8}/g).map((word) => reversed(word).join(''));
  return words.join('').match(/.{4}/g).join(':');
};
const address = (hex) => {
  if (hex.length === 8) return /^0+$/.test(hex) ? '127.0.0.1' : ipv4(hex);
  return /^0+$/.test(hex) ? '::1' : ipv6(hex);
};

// Whether whoever is outside of a container would reach it there; one that is made for no container may listen anywhere.
const isReached = (host, port) => !ports || (ports.includes(port) && /^0+$/.test(host));

// Ports that somebody behind the walls listens on, with the address to reach them at.
const listening = () => {
  const found = new Map();
  for (const table of ['/proc/net/tcp6', '/proc/net/tcp']) {
    let text = '';
    try {
      text = readFileSync(table, 'latin1');
    } catch {
      continue;
    }
    for (const line of text.split('\n').slice(1)) {
      const [, local, , state] = line.trim().split(/\s+/);
      if (state !== LISTENING) continue;
      const [host, port] = [local.split(':')[0], parseInt(local.split(':')[1], 16)];
      if (isReached(host, port)) found.set(port, address(host));
    }
  }
  return found;
};

const asked = new Set();
const answers = new Map();
let firstAnswer = Infinity;

const isPage = ({ statusCode, headers }) =>
  (statusCode >= 300 && statusCode < 400) || statusCode === 401 || /html/i.test(headers['content-type'] ?? '');

const ask = (port, host) => {
  if (asked.has(port)) return;
  asked.add(port);
  const headers = { accept: 'text/html', host: `127.0.0.1:${told}` };
  const request = http.get({ host, port, path: '/', headers, agent: false }, (response) => {
    answers.set(port, isPage(response));
    firstAnswer = Math.min(firstAnswer, Date.now());
    response.on('error', () => {}).destroy();
  });
  request.on('error', () => setTimeout(() => asked.delete(port), ASK_AGAIN_AFTER));
};

const rank = (port) => (USUAL.includes(port) ? USUAL.indexOf(port) : USUAL.length + port);
const first = (ports) => ports.sort((a, b) => rank(a) - rank(b))[0];

const choose = (open) => {
  const pages = [...answers.keys()].filter((port) => answers.get(port));
  const isOver = Date.now() - firstAnswer > PATIENCE;
  const isAwaited = open.has(told) && !answers.has(told);
  if (pages.length > 0 && (!isAwaited || isOver)) return first(pages);
  return isOver ? first([...answers.keys()]) : undefined;
};

const openDoor = (port, host) => {
  const server = net.createServer({ allowHalfOpen: true }, (outer) => {
    const inner = net.connect({ port, host, allowHalfOpen: true, noDelay: true });
    const end = () => {
      outer.destroy();
      inner.destroy();
    };
    outer.on('error', end).on('close', () => inner.end()).pipe(inner);
    inner.on('error', end).on('close', () => outer.end()).pipe(outer);
  });
  // The name of a socket has to be short, and the way to the folder may be long. It appears when it can be used.
  process.chdir(door);
  server.listen('door', () => renameSync('door', `${port}.sock`));
};

const look = () => {
  const open = listening();
  for (const [port, host] of open) ask(port, host);
  const chosen = choose(open);
  if (chosen !== undefined && open.has(chosen)) openDoor(chosen, open.get(chosen));
  else setTimeout(look, LOOK_EVERY);
};

const child = spawn(program, words, { cwd: folder, stdio: ['ignore', 2, 2] });
child.on('error', (error) => {
  console.error(`${program}: ${error.message}`);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
look();
