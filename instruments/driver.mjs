// The one driver: `node driver.mjs <role>`, spoken to over stdio (protocol.mjs). Ends when its input ends.

import { reserveStdout, serve } from './protocol.mjs';

const answer = reserveStdout();
const roles = {
  lighthouse: () => import('./lighthouse/role.mjs'),
  model: () => import('./model/role.mjs'),
  source: () => import('./source/role.mjs'),
};

const name = process.argv[2] ?? '';
if (!Object.hasOwn(roles, name)) {
  process.stderr.write(`usage: driver.mjs ${Object.keys(roles).join('|')}\n`);
  process.exit(2);
}

// A library may fail in a callback nobody awaits. Nothing that comes after can be trusted then.
process.on('unhandledRejection', (reason) => {
  process.stderr.write(`unhandled: ${reason?.stack ?? reason}\n`);
  process.exit(70);
});

// Whoever started us may be gone while a long call is running; what was asked just before may still be answered.
const LAST_ANSWERS_MS = 1000;
for (const event of ['end', 'error']) process.stdin.on(event, () => setTimeout(() => process.exit(0), LAST_ANSWERS_MS));

const { methods } = await roles[name]();
await serve(process.stdin, answer, methods);
// Lighthouse leaves timers behind that would keep the process alive for seconds.
process.exit(0);
