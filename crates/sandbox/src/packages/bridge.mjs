// Runs a package manager behind the walls, where there is no network but this: ports of the sandbox's own loopback, each connection to
// which is carried over a socket to our own process, which decides whether it leads anywhere.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import net from 'node:net';

const [settings, program, ...words] = process.argv.slice(1);
const { socket, proxyPort, local } = JSON.parse(settings);

const listen = (port, host, begin) =>
  new Promise((resolve, reject) => {
    const server = net.createServer((inner) => {
      const outer = net.connect(socket);
      const end = () => {
        inner.destroy();
        outer.destroy();
      };
      for (const side of [inner, outer]) side.on('error', end).on('close', end);
      begin(inner, outer);
    });
    server.on('error', reject).listen(port, host, resolve);
  });

const join = (inner, outer) => {
  inner.pipe(outer);
  outer.pipe(inner);
};

// A registry on this machine's loopback is reached at the same address as outside: the tunnel is asked for here.
const tunnel = (target) => (inner, outer) => {
  inner.pause();
  outer.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
  let head = '';
  const onData = (chunk) => {
    head += chunk.toString('latin1');
    const at = head.indexOf('\r\n\r\n');
    if (at < 0) return;
    outer.off('data', onData);
    if (!/^HTTP\/1\.1 200 /.test(head)) {
      inner.destroy();
      return;
    }
    const rest = head.slice(at + 4);
    if (rest) inner.write(Buffer.from(rest, 'latin1'));
    inner.resume();
    join(inner, outer);
  };
  outer.on('data', onData);
};

await listen(proxyPort, '127.0.0.1', join);
// A port that nobody may listen on is one the manager finds closed.
if (local) await listen(local.port, local.address, tunnel(local.target)).catch(() => {});

const child = spawn(program, words, { stdio: 'inherit' });
child.on('error', (error) => {
  console.error(`${program}: ${error.message}`);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
