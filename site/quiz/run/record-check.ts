// Records that come from a file or from a disk are as foreign as any other input.

import { LETTERS } from "../contract.ts";
import { MOST_PARTS, MOST_REMARKS, RECORD_FORMAT, type Part, type RunRecord } from "./record.ts";

const LARGEST_FILE = 20_000_000;
const MOST_RUNS_IN_A_FILE = 50;
const MOST_QUESTIONS = 400;
const LONGEST_OUTPUT = 64_000;
const LONGEST_TEXT = 20_000;
const LONGEST_NAME = 200;

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown, longest: number) => typeof value === "string" && value.length <= longest;
const isCount = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value >= 0;
const isLetter = (value: unknown) => LETTERS.some((letter) => letter === value);
const isListOf = (value: unknown, most: number, is: (one: unknown) => boolean) => Array.isArray(value) && value.length <= most && value.every(is);
const orNull = (value: unknown, is: (value: unknown) => boolean) => value === null || is(value);

function isQuestion(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { id, subject, group, difficulty, question, choices, answer } = value;
  const names = [id, subject, group, difficulty].every((name) => isText(name, LONGEST_NAME));
  return names && isText(question, LONGEST_TEXT) && isListOf(choices, 4, (one) => isText(one, LONGEST_TEXT)) && (choices as unknown[]).length === 4 && isLetter(answer);
}

function isAnswer(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { question_id, prompt_sha256, output, finish, client } = value;
  const counts = [value["prompt_tokens"], value["output_tokens"], value["total_ms"]];
  const maybe = [value["cached_tokens"], value["first_token_ms"]];
  return (
    isText(question_id, LONGEST_NAME) &&
    isText(prompt_sha256, 64) &&
    isText(output, LONGEST_OUTPUT) &&
    (finish === "stop" || finish === "length") &&
    counts.every(isCount) &&
    maybe.every((one) => orNull(one, isCount)) &&
    typeof value["hidden"] === "boolean" &&
    orNull(client, (one) => isObject(one) && isCount(one["tier"]) && orNull(one["letter"], isLetter))
  );
}

function isShared(value: unknown): boolean {
  if (!isObject(value)) return false;
  const texts = [value["id"], value["address"], value["state"], value["delete_token"]].every((one) => isText(one, 500));
  return texts && isListOf(value["reasons"], 50, (one) => isObject(one) && isText(one["code"], LONGEST_NAME) && isText(one["text"], 2000));
}

export function isPart(value: unknown): value is Part {
  if (!isObject(value)) return false;
  const { questions, answers, set, quick } = value;
  if (!isListOf(questions, MOST_QUESTIONS, isQuestion) || !isListOf(answers, MOST_QUESTIONS, isAnswer)) return false;
  const asked = (questions as Part["questions"]).map(({ id }) => id);
  const inOrder = (answers as Part["answers"]).every(({ question_id }, at) => question_id === asked[at]);
  const isQuick = (one: unknown) => isObject(one) && isText(one["source"], 20) && isCount(one["count"]) && isCount(one["seed"]);
  return (
    inOrder &&
    isText(value["ticket"], 4000) &&
    (value["taken_at"] === undefined || isCount(value["taken_at"])) &&
    isCount(value["expires_at"]) &&
    orNull(set, (one) => isText(one, LONGEST_NAME)) &&
    orNull(quick, isQuick) &&
    isObject(value["examples"]) &&
    orNull(value["shared"], isShared) &&
    typeof value["shareable"] === "boolean"
  );
}

export function isRecord(value: unknown): value is RunRecord {
  if (!isObject(value) || value["format"] !== RECORD_FORMAT) return false;
  const { model, engine, device, template, remarks, parts } = value;
  const texts = [value["id"], value["model_name"], value["protocol"], value["app"], value["self_test"]].every((one) => isText(one, LONGEST_NAME));
  return (
    texts &&
    isCount(value["started_at"]) &&
    isCount(value["extractor"]) &&
    typeof value["share"] === "boolean" &&
    typeof value["finished"] === "boolean" &&
    isObject(model) &&
    isText(model["quantisation"], LONGEST_NAME) &&
    isObject(engine) &&
    isText(engine["name"], LONGEST_NAME) &&
    isText(engine["version"], LONGEST_NAME) &&
    isText(engine["backend"], LONGEST_NAME) &&
    isObject(device) &&
    isObject(template) &&
    isListOf(remarks, MOST_REMARKS, (one) => isText(one, 2000)) &&
    isListOf(parts, MOST_PARTS, isPart)
  );
}

export const EXPORT_KIND = "benchwright-quiz-runs";

/** All runs, to be put away: with the tokens that delete what was shared. */
export function exported(records: readonly RunRecord[]): string {
  return JSON.stringify({ format: 1, kind: EXPORT_KIND, runs: records }, null, 2);
}

/** One run, to be shown to others: without what only its owner may have. */
export function exportedForOthers(record: RunRecord): string {
  const parts = record.parts.map((part) => ({ ...part, ticket: "", shareable: false, shared: null }));
  return exported([{ ...record, parts }]);
}

/** The runs of a file that this page wrote. They can be looked at, and no longer shared: whose tickets they are nobody knows. */
export function imported(text: string): RunRecord[] {
  if (text.length > LARGEST_FILE) throw new Error("The file is too large to hold runs.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("The file is no JSON.");
  }
  if (!isObject(value) || value["kind"] !== EXPORT_KIND || value["format"] !== 1) throw new Error("The file holds no runs of this page.");
  const runs = value["runs"];
  if (!isListOf(runs, MOST_RUNS_IN_A_FILE, isRecord)) throw new Error("The file holds runs that are damaged, or more than fifty.");
  return (runs as RunRecord[]).map((record) => ({
    ...record,
    parts: record.parts.map((part) => ({ ...part, ticket: "", shareable: false })),
  }));
}
