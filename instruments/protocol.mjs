// Requests and answers, one JSON value per line:
//   {"id":1,"method":"run","params":{…}}  →  {"id":1,"result":…}  or  {"id":1,"error":{"kind":"…","message":"…"}}
// One request at a time, in the order they came. A line that is no request is answered with the id null.

const MAX_LINE_BYTES = 1024 * 1024;
const MAX_MESSAGE_CHARACTERS = 2000;

/** A failure that the other side can act upon. */
export class CallError extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Keeps stdout for the protocol: whatever a library prints goes to stderr.
 * Must run before any library is loaded. Returns the function that writes an answer.
 */
export function reserveStdout() {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return (answer) => write(`${JSON.stringify(answer)}\n`);
}

/** Serves the methods until the input ends. */
export async function serve(input, answer, methods) {
  for await (const line of boundedLines(input)) {
    answer(await answerTo(line, methods));
  }
}

async function answerTo(line, methods) {
  let id = null;
  try {
    const request = parse(line);
    id = request.id;
    const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
    if (!method) throw new CallError('unknown-method', `there is no method ${JSON.stringify(request.method)} here`);
    return { id, result: (await method(request.params ?? {})) ?? null };
  } catch (error) {
    const kind = error instanceof CallError ? error.kind : 'failed';
    const message = String(error?.message ?? error).slice(0, MAX_MESSAGE_CHARACTERS);
    return { id, error: { kind, message } };
  }
}

function parse(line) {
  if (line === undefined) throw new CallError('bad-request', `a request may have ${MAX_LINE_BYTES} bytes`);
  let request;
  try {
    request = JSON.parse(line);
  } catch {
    throw new CallError('bad-request', 'the line is not JSON');
  }
  if (!Number.isSafeInteger(request?.id) || typeof request.method !== 'string') {
    throw new CallError('bad-request', 'a request has a whole number as id and a text as method');
  }
  return request;
}

/** The lines of a stream; `undefined` in place of a line that is too long. */
async function* boundedLines(input) {
  let chunks = [];
  let length = 0;
  for await (const chunk of input) {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      length += end;
      chunks.push(rest.subarray(0, end));
      yield length > MAX_LINE_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
      [chunks, length, rest] = [[], 0, rest.subarray(end + 1)];
    }
    length += rest.length;
    if (length > MAX_LINE_BYTES) chunks = [];
    else if (rest.length > 0) chunks.push(rest);
  }
}
