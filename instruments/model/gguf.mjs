// The few words at the head of a GGUF file that the engine does not hand out: the model's name and its chat template.
// The file is somebody else's: every length is checked before anything is read.

import { open } from 'node:fs/promises';
import { CallError } from '../protocol.mjs';

const MAGIC = 0x46554747;
const CHUNK_BYTES = 4 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
const MAX_ELEMENTS = 50_000_000;
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

const STRING = 8;
const ARRAY = 9;
/** Bytes of the types of fixed size, by the number that stands for the type. */
const SIZES = new Map([[0, 1], [1, 1], [2, 2], [3, 2], [4, 4], [5, 4], [6, 4], [7, 1], [10, 8], [11, 8], [12, 8]]);

const damaged = (what) => new CallError('bad-model', `this is no GGUF file that can be read: ${what}`);

/** Reads a file from its beginning, a large piece at a time. */
class Cursor {
  #handle;
  #buffer = Buffer.alloc(0);
  #at = 0;
  #next = 0;

  constructor(handle) {
    this.#handle = handle;
  }

  async #bytes(count) {
    if (this.#buffer.length - this.#at < count) {
      const rest = this.#buffer.subarray(this.#at);
      const room = Buffer.alloc(Math.max(count, CHUNK_BYTES));
      rest.copy(room);
      const { bytesRead } = await this.#handle.read(room, rest.length, room.length - rest.length, this.#next);
      this.#next += bytesRead;
      this.#buffer = room.subarray(0, rest.length + bytesRead);
      this.#at = 0;
      if (this.#buffer.length < count) throw damaged('it ends too early');
    }
    this.#at += count;
    return this.#buffer.subarray(this.#at - count, this.#at);
  }

  async skip(count) {
    const here = Math.min(count, this.#buffer.length - this.#at);
    this.#at += here;
    this.#next += count - here;
  }

  async u32() {
    return (await this.#bytes(4)).readUInt32LE();
  }

  async count(limit) {
    const count = (await this.#bytes(8)).readBigUInt64LE();
    if (count > BigInt(limit)) throw damaged(`it announces ${count} of something`);
    return Number(count);
  }

  async text() {
    return (await this.#bytes(await this.count(MAX_TEXT_BYTES))).toString('utf8');
  }

  /** A text as a string, anything else as nothing. */
  async value(type) {
    if (type === STRING) return this.text();
    if (type === ARRAY) {
      const element = await this.u32();
      const count = await this.count(MAX_ELEMENTS);
      if (element === STRING) for (let i = 0; i < count; i += 1) await this.#bytes(await this.count(MAX_TEXT_BYTES));
      else await this.skip(count * this.#size(element));
      return undefined;
    }
    await this.skip(this.#size(type));
    return undefined;
  }

  #size(type) {
    const size = SIZES.get(type);
    if (size === undefined) throw damaged(`it has a value of type ${type}`);
    return size;
  }
}

/** The texts among the properties of a model, by name. */
export async function textsOf(file) {
  let handle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    throw new CallError('bad-model', `the file cannot be opened: ${error.code ?? error.message}`);
  }
  try {
    const cursor = new Cursor(handle);
    if ((await cursor.u32()) !== MAGIC) throw damaged('it does not begin as one');
    const version = await cursor.u32();
    if (version !== 2 && version !== 3) throw damaged(`version ${version} is not known`);
    await cursor.count(Number.MAX_SAFE_INTEGER);
    const texts = new Map();
    for (let left = await cursor.count(MAX_ENTRIES); left > 0; left -= 1) {
      const key = await cursor.text();
      const value = await cursor.value(await cursor.u32());
      if (value !== undefined) texts.set(key, value);
    }
    return texts;
  } finally {
    await handle.close();
  }
}
