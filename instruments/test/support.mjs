// What the tests share: the driver as a child process, a small web server, a real browser.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * A script that shifts the text below `#late` and blocks the main thread, both after the first paint, however late that is.
 * Lighthouse's simulation leaves out the waiting of timers, so the first blocks may end before its first paint and count
 * nothing: there are enough of them to outlast any. Shifts within half a second of the page getting its size do not count.
 */
export const RESTLESS = `<script>
  function block(left) {
    for (const end = performance.now() + 150; performance.now() < end;);
    if (left > 1) setTimeout(block, 50, left - 1);
  }
  new PerformanceObserver((paints) => {
    if (paints.getEntriesByName('first-contentful-paint').length === 0) return;
    setTimeout(() => {
      document.getElementById('late').innerHTML = '<div style="height:400px">late</div>';
      block(10);
    }, 700);
  }).observe({ type: 'paint', buffered: true });
</script>`;

/** A driver in a role. `call` sends a request and waits for the next answer, `say` sends raw text. */
export function startDriver(role, script = path.join(root, 'driver.mjs'), flags = []) {
  const child = spawn(process.execPath, [...flags, script, role], { stdio: ['pipe', 'pipe', 'pipe'] });
  // A test that fails does not close its driver, and nothing would ever end.
  after(() => child.kill('SIGKILL'));
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(code ?? signal)));
  let stderr = '';
  child.stderr.on('data', (chunk) => { stderr = (stderr + chunk).slice(-10_000); });
  let id = 0;
  const say = (text) => child.stdin.write(text);
  const hear = async () => JSON.parse((await lines.next()).value ?? assert.fail(`the driver ended: ${stderr}`));
  const call = async (method, params) => {
    id += 1;
    say(`${JSON.stringify({ id, method, params })}\n`);
    const answer = await hear();
    assert.equal(answer.id, id);
    return answer;
  };
  const close = async () => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const code = await ended;
    clearTimeout(timer);
    return code;
  };
  return { say, hear, call, close, stderr: () => stderr };
}

/** Serves `pages` (path to text or to a function of the request); remembers the requests. */
export async function startServer(pages) {
  const requests = [];
  const server = http.createServer((request, response) => {
    requests.push({ path: request.url, headers: request.headers });
    const page = pages[request.url];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': typeOf(request.url) });
    response.end(page ?? 'not here');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => { server.closeAllConnections(); server.close(); };
  return { base: `http://127.0.0.1:${server.address().port}`, requests, close };
}

function typeOf(url) {
  return { '.js': 'text/javascript', '.css': 'text/css' }[path.extname(url)] ?? 'text/html; charset=utf-8';
}

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].flatMap((name) => [
  `/usr/bin/${name}`, `/usr/local/bin/${name}`, `/snap/bin/${name}`,
]).concat('/Applications/Google Chrome.app/Contents/MacOS/Google Chrome');

function findBrowser() {
  const found = BROWSERS.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  return found ?? assert.fail('these tests need a browser; `cargo xtask setup` installs one');
}

/** A fresh headless browser with a debugging port. */
export async function startBrowser() {
  const profile = mkdtempSync(path.join(os.tmpdir(), 'benchwright-test-browser-'));
  const flags = ['--headless', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync',
    '--disable-component-update', '--disable-extensions', '--remote-debugging-port=0', '--remote-debugging-pipe',
    `--user-data-dir=${profile}`];
  if (process.getuid() === 0) flags.push('--no-sandbox');
  // It also listens to a pipe of ours, so that it ends even if this process is killed.
  const words = ['-c', 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null', 'sh', findBrowser(), ...flags];
  const child = spawn('/bin/sh', words, { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const close = async () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
  for (let attempt = 0; attempt < 3000; attempt += 1) {
    const port = portIn(profile);
    if (port) return { port, close };
    await pause(20);
  }
  await close();
  return assert.fail('the browser did not open its port');
}

function portIn(profile) {
  try {
    const [port, rest] = readFileSync(path.join(profile, 'DevToolsActivePort'), 'utf8').split('\n');
    return rest === undefined ? undefined : Number(port);
  } catch {
    return undefined;
  }
}
