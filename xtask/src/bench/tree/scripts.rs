//! What a team writes: components, hooks, services, routes and their tests, importing each other.

use super::words::Words;
use std::fmt::Write;

/// `Name`, `name`, `Other` and `other` become words; `NUMBER` is the file's own, `NEIGHBOUR` that of the file it imports.
const COMPONENT: &str = r#"import { useEffect, useMemo, useState } from 'react';
import { useRecordNEIGHBOUR } from '../hooks/useRecordNEIGHBOUR';
import { formatOther } from '../lib/format';
import type { Other, Name } from '../types';

interface Props {
  name: Name;
  others: Other[];
  onSelect?: (id: string, options?: { silent: boolean }) => void;
}

/** Shows one name with the others that belong to it. */
export function RecordCardNUMBER({ name, others, onSelect }: Props) {
  const [open, setOpen] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const { data, reload } = useRecordNEIGHBOUR(name.id);
  const sorted = useMemo(() => [...others].sort((a, b) => a.createdAt - b.createdAt), [others]);

  useEffect(() => {
    if (!open) return undefined;
    const timer = window.setInterval(() => reload().catch((cause) => setError(String(cause))), 30_000);
    return () => window.clearInterval(timer);
  }, [open, reload]);

  async function save(event: React.FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const response = await fetch(`/api/names/${encodeURIComponent(name.id)}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${data?.token ?? ''}` },
      body: JSON.stringify({ title: form.get('title'), other: form.get('other') }),
    });
    if (!response.ok) {
      setError(response.status === 403 ? 'You may not change this name.' : 'The name could not be saved.');
      return;
    }
    setError(null);
    onSelect?.(name.id, { silent: true });
  }

  return (
    <article className={open ? 'name-card is-open' : 'name-card'} data-key={name.id}>
      <header>
        <h3>{name.title}</h3>
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : 'Show more'}
        </button>
      </header>
      {error !== null && <p role="alert">{error}</p>}
      {open && (
        <form onSubmit={save}>
          <label>
            Title of the name
            <input id="title" defaultValue={name.title} required minLength={2} />
          </label>
          <ul>
            {sorted.map((other) => (
              <li key={other.id}>{formatOther(other.total, other.currency)}</li>
            ))}
          </ul>
          <button type="submit">Save</button>
        </form>
      )}
    </article>
  );
}
"#;

const HOOK: &str = r"import { useCallback, useEffect, useRef, useState } from 'react';
import { recordServiceNEIGHBOUR } from '../services/recordServiceNEIGHBOUR';
import type { Name } from '../types';

const CACHE_KEY = 'names-cache-vNUMBER';

export function useRecordNUMBER(id: string) {
  const [data, setData] = useState<Name | undefined>(() => {
    const stored = sessionStorage.getItem(`${CACHE_KEY}:${id}`);
    return stored ? (JSON.parse(stored) as Name) : undefined;
  });
  const [loading, setLoading] = useState(false);
  const latest = useRef(0);

  const reload = useCallback(async () => {
    const call = ++latest.current;
    setLoading(true);
    try {
      const next = await recordServiceNEIGHBOUR.find(id);
      if (call !== latest.current) return;
      setData(next);
      sessionStorage.setItem(`${CACHE_KEY}:${id}`, JSON.stringify(next));
    } finally {
      setLoading(false);
    }
  }, [id]);

  useEffect(() => {
    void reload();
  }, [reload]);

  return { data, loading, reload };
}
";

const SERVICE: &str = r"import { config } from '../lib/config';
import type { Name, Other } from '../types';

export class NameErrorNUMBER extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
    Object.freeze(this);
  }
}

async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await fetch(new URL(path, config.apiUrl), {
    ...init,
    headers: { Accept: 'application/json', ...(init.headers ?? {}) },
    credentials: 'include',
  });
  if (response.status === 204) return undefined as T;
  const body = await response.json().catch(() => ({ message: response.statusText }));
  if (!response.ok) throw new NameErrorNUMBER(response.status, body.message ?? 'unknown');
  return body as T;
}

export const recordServiceNUMBER = {
  list: (page = 1, size = 50) => request<Name[]>(`/names?page=${page}&size=${size}`),
  find: (id: string) => request<Name>(`/names/${id}`),
  others: (id: string) => request<Other[]>(`/names/${id}/others`),
  create: (input: Omit<Name, 'id'>) => request<Name>('/names', { method: 'POST', body: JSON.stringify(input) }),
  remove: (id: string) => request<void>(`/names/${id}`, { method: 'DELETE' }),
};

/** Totals by currency, the largest first. */
export function totals(others: readonly Other[]): [string, number][] {
  const sums = new Map<string, number>();
  for (const { currency, total } of others) sums.set(currency, (sums.get(currency) ?? 0) + total);
  return [...sums].sort(([, a], [, b]) => b - a);
}
";

const ROUTE: &str = r"import { Router } from 'express';
import { z } from 'zod';
import { database } from '../lib/database';
import { requireUser } from '../lib/session';

const input = z.object({ title: z.string().min(2).max(120), other: z.string().uuid().optional() });

export const nameRoutesNUMBER = Router();

nameRoutesNUMBER.get('/names', requireUser, async (request, response, next) => {
  try {
    const page = Math.max(1, Number(request.query.page ?? 1));
    const size = Math.min(100, Number(request.query.size ?? 50));
    const rows = await database.query('select * from names where owner_id = $1 order by created_at limit $2 offset $3', [
      request.user.id,
      size,
      (page - 1) * size,
    ]);
    response.json(rows);
  } catch (error) {
    next(error);
  }
});

nameRoutesNUMBER.post('/names', requireUser, async (request, response) => {
  const parsed = input.safeParse(request.body);
  if (!parsed.success) {
    response.status(422).json({ message: 'The name is incomplete', issues: parsed.error.issues });
    return;
  }
  const [row] = await database.query('insert into names (title, owner_id, api_key_id) values ($1, $2, $3) returning *', [
    parsed.data.title,
    request.user.id,
    process.env.NAME_API_KEY_ID ?? null,
  ]);
  response.status(201).json(row);
});
";

const TEST: &str = r"import { describe, expect, it, vi } from 'vitest';
import { recordServiceNEIGHBOUR, totals } from '../services/recordServiceNEIGHBOUR';

describe('names NUMBER', () => {
  it('sums others by currency', () => {
    const others = [
      { id: 'a', currency: 'EUR', total: 12, createdAt: 1 },
      { id: 'b', currency: 'USD', total: 40, createdAt: 2 },
      { id: 'c', currency: 'EUR', total: 5, createdAt: 3 },
    ];
    expect(totals(others)).toEqual([['USD', 40], ['EUR', 17]]);
  });

  it('sends credentials', async () => {
    const call = vi.fn().mockResolvedValue(new Response('[]', { status: 200 }));
    vi.stubGlobal('fetch', call);
    await recordServiceNEIGHBOUR.list();
    expect(call.mock.calls[0][1].credentials).toBe('include');
  });
});
";

/// Folder, name, text, and how far away the neighbour is.
const KINDS: [(&str, &str, &str, isize); 5] = [
    ("src/components/", "RecordCardNUMBER.tsx", COMPONENT, 1),
    ("src/hooks/", "useRecordNUMBER.ts", HOOK, 1),
    ("src/services/", "recordServiceNUMBER.ts", SERVICE, 0),
    ("server/routes/", "recordRoutesNUMBER.js", ROUTE, 0),
    ("src/tests/", "recordNUMBER.test.ts", TEST, -2),
];
/// Every so many files somebody forgot a secret.
const LEAK_EVERY: usize = 90;
/// How many components the app begins with; the rest is there and not used yet.
const MOUNTED: usize = 100;

/// A file of the app by its number.
pub(super) fn file(number: usize, words: &mut Words) -> (String, String) {
    let (folder, name, template, distance) = KINDS[number % KINDS.len()];
    let neighbour = number.saturating_add_signed(distance);
    let (own, other) = (words.capital(), words.capital());
    let mut text = template
        .replace("NUMBER", &number.to_string())
        .replace("NEIGHBOUR", &neighbour.to_string())
        .replace("Name", &own)
        .replace("name", &own.to_lowercase())
        .replace("Other", &other)
        .replace("other", &other.to_lowercase());
    if number % LEAK_EVERY == LEAK_EVERY - 1 {
        // Writing to a string cannot fail.
        let _ = write!(text, "\nexport const FALLBACK_SECRET = '{}';\n", words.hash(32));
    }
    (format!("{folder}{}", name.replace("NUMBER", &number.to_string())), text)
}

/// Where it all begins.
pub(super) fn entries() -> [(&'static str, String); 3] {
    let mut imports = String::new();
    for number in (0..MOUNTED).map(|index| index * KINDS.len()) {
        let name = format!("RecordCard{number}");
        let _ = writeln!(imports, "import {{ {name} }} from './components/{name}';\nconsole.info({name});");
    }
    [
        (
            "package.json",
            "{ \"name\": \"records\", \"dependencies\": { \"react\": \"19\", \"express\": \"5\" } }\n".to_owned(),
        ),
        (
            "index.html",
            "<!doctype html><div id=\"root\"></div><script type=\"module\" src=\"/src/main.tsx\"></script>\n"
                .to_owned(),
        ),
        ("src/main.tsx", imports),
    ]
}
