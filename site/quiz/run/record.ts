// What is kept of a run in this browser: everything that is needed to show it, to go on with it, and to share it.

import type { Answer, Device, EngineUsed, Example, ModelUnderTest, Protocol, Question, QuickDraw, SelfTest, Shared, Submission, Template, Ticket } from "../contract.ts";
import { threadsShared } from "../engine/coarse.ts";

export const RECORD_FORMAT = 1;
/** A record with more parts or remarks is not read back. */
export const MOST_PARTS = 40;
export const MOST_REMARKS = 100;

/** Questions that were asked on one ticket. A run has one part, and one more for each time that more questions were asked for. */
export interface Part {
  /** Empty where the questions came without one, or its owner is unknown. */
  ticket: string;
  /** When the ticket was taken; of that, only the day is shared. Earlier versions did not keep it. */
  taken_at?: number;
  /** When the ticket ends, in milliseconds since 1970 by this machine's clock. */
  expires_at: number;
  set: string | null;
  quick: QuickDraw | null;
  questions: Question[];
  /** Needed to go on; dropped when the part is finished. */
  examples: Record<string, Example[]>;
  answers: Answer[];
  shared: Shared | null;
  /** Whether it may be shared still: it has a ticket that has not ended, and was neither imported nor deleted from the board. */
  shareable: boolean;
}

export interface RunRecord {
  format: typeof RECORD_FORMAT;
  id: string;
  /** In milliseconds since 1970. */
  started_at: number;
  /** What people call the model. */
  model_name: string;
  model: ModelUnderTest;
  protocol: Protocol;
  template: Template;
  engine: EngineUsed;
  device: Device;
  extractor: number;
  app: string;
  self_test: SelfTest;
  /** Whether the visitor wants it shared when it is finished. */
  share: boolean;
  finished: boolean;
  remarks: string[];
  parts: Part[];
}

export function partFrom(ticket: Ticket, now: number): Part {
  const byId = new Map(ticket.questions.map((question) => [question.id, question]));
  const questions = ticket.order.map((id) => {
    const question = byId.get(id);
    if (!question) throw new Error(`the ticket names the question ${id} and does not bring it`);
    return question;
  });
  const { set, quick, examples } = ticket;
  return { ticket: ticket.ticket, taken_at: now, expires_at: now + 1000 * ticket.expires_in_seconds, set: set ?? null, quick: quick ?? null, questions, examples, answers: [], shared: null, shareable: true };
}

/** Whether it would have been shared in time, and no longer is: the site takes nothing whose ticket has ended. */
export const isTooLate = (part: Part, now: number): boolean => part.ticket !== "" && part.shared === null && part.expires_at <= now;

/** Whether anything of a run may be shared when it ends. */
export function canBeShared({ parts }: RunRecord, now: number): boolean {
  return parts.length === 0 || parts.some((part) => part.shareable && !isTooLate(part, now));
}

export const isPartDone = (part: Part): boolean => part.answers.length === part.questions.length;

/** The question to ask next, with the part it belongs to. */
export function nextQuestion(record: RunRecord): { part: Part; question: Question } | null {
  for (const part of record.parts) {
    const question = part.questions[part.answers.length];
    if (question) return { part, question };
  }
  return null;
}

export const runSeed = (part: Part): number => part.quick?.seed ?? 0;

export interface GivenAnswer {
  question: Question;
  answer: Answer;
  /** Whether an earlier answer to the same question counts instead. */
  askedBefore: boolean;
}

/** Every answer of every part, in the order they were given. */
export function givenAnswers(record: RunRecord): GivenAnswer[] {
  const asked = new Set<string>();
  return record.parts.flatMap(({ questions, answers }) =>
    questions.slice(0, answers.length).map((question, at) => {
      const askedBefore = asked.has(question.id);
      asked.add(question.id);
      return { question, answer: answers[at]!, askedBefore };
    }),
  );
}

/** All answers, each question once: asking it again adds nothing that an interval could be made of. */
export function distinctAnswers(record: RunRecord): { answers: Answer[]; questions: Question[] } {
  const first = givenAnswers(record).filter(({ askedBefore }) => !askedBefore);
  return { answers: first.map(({ answer }) => answer), questions: first.map(({ question }) => question) };
}

/** How many different questions a run asks. */
export const distinctCount = ({ parts }: RunRecord): number => new Set(parts.flatMap(({ questions }) => questions.map(({ id }) => id))).size;

export function questionCount(record: RunRecord): { answered: number; all: number } {
  const count = (of: (part: Part) => number) => record.parts.reduce((sum, part) => sum + of(part), 0);
  return { answered: count((part) => part.answers.length), all: count((part) => part.questions.length) };
}

/** What is sent, and nothing else. */
export function submissionOf(record: RunRecord, part: Part): Submission {
  return {
    format: 1,
    ticket: part.ticket,
    protocol: record.protocol,
    template: record.template,
    set: part.set,
    quick: part.quick,
    model: record.model,
    engine: { ...record.engine, threads: threadsShared(record.engine.threads) },
    extractor: record.extractor,
    app: record.app,
    self_test: record.self_test,
    device: record.device,
    // The site holds it against the day of the ticket, and a run may be asked more on another day.
    day: new Date(part.taken_at ?? record.started_at).toISOString().slice(0, 10),
    answers: part.answers,
  };
}
