import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { systemClock } from '../../src/adapters/gather/clock-and-ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ThreadQuery } from '../../src/protocol/thread.ts';
import { ThreadIndex } from '../../src/adapters/rollout/index/thread-index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** The n-th thread id, and rollout id. */
export const uuid = (n: number): string => `0199aaaa-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** When everything happens, unless it is said otherwise: milliseconds since the Unix epoch. */
export const noon = Date.UTC(2026, 0, 2, 12);

export const all: ThreadQuery = { limit: 100, sort: 'updated' };

type Written = readonly [type: string, payload: JsonObject];

export const meta = (id: string, more: JsonObject = {}): Written => [
  'session_meta',
  {
    id,
    timestamp: new Date(noon).toISOString(),
    cwd: '/repo',
    originator: 'x',
    cli_version: '0.1',
    source: 'exec',
    history_mode: 'paginated',
    ...more,
  },
];

export const event = (type: string, more: JsonObject = {}): Written => ['event_msg', { type, ...more }];

export const says = (role: 'user' | 'assistant', text: string): Written => [
  'response_item',
  { type: 'message', role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] },
];

/** A whole turn: the user says something, and is answered. */
export const turn = (id: string, words: string, answer = 'Done.'): readonly Written[] => [
  event('task_started', { turn_id: id }),
  ['turn_context', { turn_id: id, ...context }],
  says('user', words),
  says('assistant', answer),
  event('task_complete', { turn_id: id, last_agent_message: answer }),
];

const context = {
  cwd: '/repo',
  approval_policy: 'on-request',
  sandbox_policy: { type: 'workspace-write' },
  model: 'gpt',
  effort: 'high',
  summary: 'auto',
  collaboration_mode: { mode: 'default' },
};

/** The values of `turn` in a summary. */
export const shownContext = {
  cwd: '/repo',
  approval: 'on-request',
  sandbox: 'workspace-write',
  model: 'gpt',
  effort: 'high',
  mode: 'default',
};

export interface RolloutOptions {
  /** In the name, if it is not the thread's id. */
  readonly rollout?: string;
  readonly folder?: string;
  readonly mtime?: number;
  readonly compressed?: boolean;
  /** The ordinal of the first line; `none` leaves them out. */
  readonly from?: number | 'none';
}

/** A home folder with rollouts that the test writes. */
export class IndexHome {
  readonly path = mkdtempSync(join(tmpdir(), 'capstan-index-'));
  readonly index = new ThreadIndex({ home: this.path, clock: systemClock });
  readonly database = join(this.path, 'capstan', 'threads-7.sqlite');

  constructor() {
    whenTestEnds(() => rmSync(this.path, { recursive: true, force: true, maxRetries: 10 }));
  }

  /** Writes a rollout; gives back its path. */
  write(id: string, lines: readonly Written[], options: RolloutOptions = {}): string {
    const { rollout = id, folder = 'sessions/2026/01/02', mtime = noon, compressed = false, from = 0 } = options;
    const name = `rollout-2026-01-02T12-00-00-${id}${rollout === id ? '' : `_${rollout}`}.jsonl`;
    const path = join(this.path, folder, compressed ? `${name}.zst` : name);
    mkdirSync(dirname(path), { recursive: true });
    const text = lines.map((line, i) => lineText(line, from === 'none' ? undefined : from + i)).join('');
    writeFileSync(path, compressed ? zstdCompressSync(text) : text);
    utimesSync(path, mtime / 1000, mtime / 1000);
    return path;
  }

  /** Appends lines, as a program does that goes on with the thread. */
  grow(path: string, lines: readonly Written[], { from, mtime }: { from: number; mtime: number }): void {
    appendFileSync(path, lines.map((line, i) => lineText(line, from + i)).join(''));
    utimesSync(path, mtime / 1000, mtime / 1000);
  }

  /** The description, in a fork or a revert, of the file that it continues from. */
  base(path: string, rollout: string, lines: number, bytes = statSync(path).size): JsonObject {
    return { history_base: { thread_id: rollout, end_ordinal_exclusive: lines, end_byte_offset: bytes } };
  }

  async found(text: string, query: ThreadQuery = all): Promise<readonly string[]> {
    const found = await this.index.search(text, query);
    if ('code' in found) throw new Error(found.message);
    return found.hits.map(({ thread }) => thread.id);
  }

  async listed(query: ThreadQuery = all): Promise<readonly string[]> {
    const page = await this.index.list(query);
    if ('code' in page) throw new Error(page.message);
    return page.threads.map(({ id }) => id);
  }
}

export function lineText([type, payload]: Written, ordinal?: number): string {
  const timestamp = new Date(noon).toISOString();
  return `${JSON.stringify({ timestamp, ...(ordinal === undefined ? {} : { ordinal }), type, payload })}\n`;
}

/** The bytes of the first lines of a file. */
export function bytesOf(lines: readonly Written[]): number {
  return Buffer.byteLength(lines.map((line, i) => lineText(line, i)).join(''));
}
