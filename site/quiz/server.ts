// The site's API, as far as the quiz needs it.

import type { Catalogue, Protocol, Selection, Shared, Submission, Ticket } from "./contract.ts";

const API = "/api/v1/quiz";
const LONGEST_WAIT_MS = 30_000;

/** The server answered, and said no. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "Refused";
    this.status = status;
    this.code = code;
  }
}

async function request<T>(path: string, options: RequestInit = {}): Promise<T> {
  const answer = await fetch(`${API}/${path}`, {
    ...options,
    credentials: "omit",
    referrerPolicy: "no-referrer",
    signal: AbortSignal.timeout(LONGEST_WAIT_MS),
  });
  const text = await answer.text();
  if (answer.ok) return (text === "" ? undefined : JSON.parse(text)) as T;
  throw refusal(answer.status, text);
}

function refusal(status: number, text: string): Refused {
  try {
    const said = JSON.parse(text) as { error?: unknown; code?: unknown };
    return new Refused(status, String(said.code ?? status), String(said.error ?? `HTTP ${status}`));
  } catch {
    return new Refused(status, String(status), `HTTP ${status}`);
  }
}

const post = (body: unknown): RequestInit => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

export const getCatalogue = (): Promise<Catalogue> => request("catalogue");

export const getTicket = (selection: Selection, model: string, protocol: Protocol): Promise<Ticket> =>
  request("tickets", post({ ...selection, model, protocol }));

export const shareRun = (submission: Submission): Promise<Shared> => request("runs", post(submission));

export const deleteShared = (id: string, token: string): Promise<void> =>
  request(`runs/${encodeURIComponent(id)}`, { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
