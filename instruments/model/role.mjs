// A language model in a GGUF file, run by llama.cpp on this machine. It is asked one question at a time, and what two questions have
// in common at their beginning is computed once.
//
// The engine is the addon of node-llama-cpp's platform packages, used directly: the package around it would bring graphics builds of half a
// gigabyte, and downloads and compiles when something is missing.

import { createRequire } from 'node:module';
import path from 'node:path';
import { CallError } from '../protocol.mjs';
import { textsOf } from './gguf.mjs';

const PLATFORMS = { 'linux-x64': 'linux-x64', 'linux-arm64': 'linux-arm64', 'darwin-x64': 'mac-x64', 'darwin-arm64': 'mac-arm64-metal' };
/** Five examples and a question fit with room to spare; more would cost memory for nothing. */
const CONTEXT_TOKENS = 4096;
const BATCH_TOKENS = 512;
/** Some templates print the day of the run, which would make every day another prompt; this is the day they print when they know none. */
const FIXED_DATE = '26 Jul 2024';

let engine;
let model;

function loadEngine() {
  const platform = PLATFORMS[`${process.platform}-${process.arch}`];
  if (!platform) throw new CallError('no-engine', `there is no llama.cpp for ${process.platform} ${process.arch} among the instruments`);
  const require = createRequire(import.meta.url);
  let folder;
  try {
    folder = path.join(path.dirname(require.resolve(`@node-llama-cpp/${platform}`)), '../bins', platform);
  } catch {
    throw new CallError('no-engine', `@node-llama-cpp/${platform} is not installed: run cargo xtask setup`);
  }
  const addon = require(path.join(folder, 'llama-addon.node'));
  const built = require(path.join(folder, '_nlcBuildMetadata.json'));
  // Only what went wrong; it goes to stderr, from where it is shown when the process dies.
  addon.setLogger((_, text) => process.stderr.write(text));
  addon.setLoggerLogLevel(2);
  addon.loadBackends();
  addon.loadBackends(folder);
  return { addon, version: built.buildOptions.llamaCpp.release };
}

/** Loads a model. A second call replaces the first one's. */
async function load({ file, threads }) {
  if (typeof file !== 'string' || !path.isAbsolute(file)) throw new CallError('bad-params', 'file is an absolute path');
  if (!Number.isSafeInteger(threads) || threads < 1) throw new CallError('bad-params', 'threads is a whole number from 1 on');
  const texts = await textsOf(file);
  const template = texts.get('tokenizer.chat_template');
  if (!template) throw new CallError('no-template', 'the model has no chat template: it is no instruct model, and cannot be asked');
  engine ??= loadEngine();
  const { addon, version } = engine;
  await addon.init();
  const weights = new addon.AddonModel(file, { addonExports: addon, gpuLayers: addon.getSupportsGpuOffloading() ? 999 : 0 });
  if (!(await weights.init())) throw new CallError('bad-model', 'llama.cpp cannot load the file');
  const contextSize = Math.min(CONTEXT_TOKENS, weights.getTrainContextSize() || CONTEXT_TOKENS);
  const context = new addon.AddonContext(weights, {
    contextSize, batchSize: BATCH_TOKENS, sequences: 1, flashAttention: 'auto', threads, swaFullCache: true,
  });
  if (!(await context.init())) throw new CallError('bad-model', 'llama.cpp has no room for the context');
  model = { weights, context, contextSize, renderer: new addon.AddonJinjaRenderer(template), held: [] };
  return {
    name: texts.get('general.name') ?? '',
    quantisation: quantisationOf(weights.getModelDescription()),
    system_in_user: !hasSystemTurn(),
    context: contextSize,
    engine_version: version,
  };
}

/** `llama 1B Q4_K - Medium` as `q4_k_m`. */
function quantisationOf(description) {
  const words = description.replace(/\(.*\)/, '').replace(/^\S+\s+\S+\s+(all |mostly )?/, '').trim();
  return words.replace(/ - (\w)\w*/, '_$1').split(/[ ,]/)[0].toLowerCase() || 'unknown';
}

function render(messages, thinking) {
  const { weights, renderer } = model;
  const token = (number) => (number >= 0 ? weights.getTokenString(number) : '');
  return renderer.render({
    messages, add_generation_prompt: true, enable_thinking: thinking, date_string: FIXED_DATE,
    bos_token: token(weights.tokenBos()), eos_token: token(weights.tokenEos()),
  });
}

/** Whether a system turn reaches the prompt. Some templates refuse it, some leave it out. */
function hasSystemTurn() {
  const mark = 'one two three';
  try {
    return render([{ role: 'system', content: mark }, { role: 'user', content: 'four' }], false).includes(mark);
  } catch {
    return false;
  }
}

function tokensOf(text) {
  const { weights } = model;
  const tokens = Array.from(weights.tokenize(text, true));
  const first = weights.tokenBos();
  return weights.shouldPrependBosToken() && tokens[0] !== first ? [first, ...tokens] : tokens;
}

/** Forgets everything behind what `tokens` shares with what is held, and says how much is left. The last token is always computed. */
function keepShared(tokens) {
  let shared = 0;
  while (shared < Math.min(model.held.length, tokens.length - 1) && model.held[shared] === tokens[shared]) shared += 1;
  // A model whose state cannot be taken back by some tokens begins anew.
  if (shared > 0 && shared < model.held.length && !model.context.removeTokenCellsFromSequence(0, shared, -1)) shared = 0;
  if (shared === 0) model.context.disposeSequence(0);
  model.held.length = shared;
  return shared;
}

/** Computes tokens behind what is held, and returns where the sampler finds what may follow the last one. */
async function compute(tokens, wantsNext) {
  const { context, held } = model;
  context.initBatch(tokens.length);
  const wanted = wantsNext ? Uint32Array.of(tokens.length - 1) : new Uint32Array();
  const [place] = context.addToBatch(0, held.length, Uint32Array.from(tokens), wanted);
  await context.decodeBatch();
  held.push(...tokens);
  return place;
}

async function computePrompt(tokens, from) {
  let place;
  for (let at = from; at < tokens.length; at += BATCH_TOKENS) {
    place = await compute(tokens.slice(at, at + BATCH_TOKENS), at + BATCH_TOKENS >= tokens.length);
  }
  return place;
}

/** Asks, in a fresh conversation. */
async function ask({ messages, settings }) {
  if (!model) throw new CallError('bad-params', 'no model is loaded');
  const begun = performance.now();
  const { weights, context, contextSize } = model;
  const tokens = tokensOf(render(messages, settings.thinking));
  if (tokens.length + settings.max_tokens > contextSize) {
    throw new CallError('too-long', `the prompt has ${tokens.length} tokens; with ${settings.max_tokens} of an answer they do not fit into ${contextSize}`);
  }
  const sampler = new engine.addon.AddonSampler(weights);
  try {
    sampler.applyConfig({ temperature: settings.temperature, topP: settings.top_p, topK: 0, minP: 0, seed: settings.seed });
    const cached = keepShared(tokens);
    let place = await computePrompt(tokens, cached);
    const said = [];
    let firstTokenMs = null;
    let finish = 'length';
    while (said.length < settings.max_tokens) {
      const token = await context.sampleToken(place, sampler);
      firstTokenMs ??= performance.now() - begun;
      if (token < 0 || weights.isEogToken(token)) {
        finish = 'stop';
        break;
      }
      said.push(token);
      if (said.length < settings.max_tokens) place = await compute([token], true);
    }
    return {
      output: weights.detokenize(Uint32Array.from(said), true),
      finish,
      prompt_tokens: tokens.length,
      cached_tokens: cached,
      output_tokens: said.length,
      first_token_ms: firstTokenMs,
      total_ms: performance.now() - begun,
    };
  } catch (error) {
    // What the engine holds now is anybody's guess.
    model.held.length = 0;
    throw error;
  } finally {
    sampler.dispose();
  }
}

export const methods = { load, ask };
