import {
  type MemoryNote,
  readMemoryTexts,
  readNotesMergedAt,
  readMemoryNotes,
  removeThreadSummary,
  writeMemoryTexts,
  writeNotesMergedAt,
  writeMemoryNote,
  writeThreadSummary,
} from '../../adapters/gather/memory-files.ts';
import { readLooseJson } from '../../core/compaction/candidates/loose-json.ts';
import type { MemoryRules } from '../../core/config/memories.ts';
import { cutJsonLine, type ReviewEntry } from '../../core/fragments/approval-review.ts';
import {
  memoryMergeInstructions,
  memoryMergeMessage,
  memoryMergeSchema,
  memoryExtractionInstructions,
  memoryExtractionMessage,
  memoryExtractionSchema,
} from '../../core/fragments/memory-notes.ts';
import { cutText } from '../../core/fragments/text/cut-and-fence-text.ts';
import { byteLength, bytesPerToken } from '../../core/fragments/text/truncate.ts';
import { redactSecrets } from '../../core/policy/secrets.ts';
import type { BackgroundHost } from '../../ports/threads.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadSummary } from '../../protocol/thread.ts';
import type { ModelReply } from '../models/ask-model.ts';

export interface MemoryWriterParts {
  readonly home: string;
  readonly rules: MemoryRules;
  /** Percentage of the effective window that a model is given at once. */
  readonly share: number;
  /** Texts that must not be sent or written. */
  readonly secrets: readonly string[];
  now(): number;
  list(): Promise<readonly ThreadSummary[]>;
  /** The conversation of a thread. Undefined: no notes may be written about it. */
  read(id: ThreadId): Promise<readonly ReviewEntry[] | undefined>;
  ask(question: MemoryQuestion): Promise<ModelReply>;
}

export interface MemoryQuestion {
  readonly purpose: 'extract' | 'consolidate';
  readonly instructions: string;
  readonly outputSchema: JsonObject;
  message(effectiveWindow: number): string;
}

const atOnce = 4;
/** In tokens; `memory` and `summary`: of MEMORY.md and memory_summary.md. */
const most = { note: 8000, memory: 40_000, summary: 2500, thread: 4000 } as const;
/** Leaves space for the model's instructions and answer. */
const mostShare = 70;

/** Returns the first problem. Notes written before a signal or a failure stay; the rest waits for the next start. */
export async function writeMemories(
  parts: MemoryWriterParts,
  host: BackgroundHost,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const { home, rules } = parts;
  const taken = new Map(
    readMemoryNotes(home).map(({ threadId, usedAt, at, kind, failed }) => {
      return [threadId, { ...(failed ?? { usedAt, at }), isFailed: kind === 'failed' || failed !== undefined }];
    }),
  );
  const due = threadsDueForNotes(await parts.list(), taken, { rules, now: parts.now(), except: host.id });
  const problems: Outcome[] = [];
  let left = rules.perStart;
  const waiting = [...due];
  while (waiting.length > 0 && left > 0 && !signal.aborted && problems.length === 0) {
    const some = waiting.splice(0, Math.min(atOnce, left));
    const written = await Promise.all(some.map((thread) => noteThread(parts, host, thread)));
    left -= written.filter((result) => result !== 'skipped').length;
    problems.push(...written.filter((result) => typeof result !== 'string'));
  }
  if (problems.length === 0 && !signal.aborted) problems.push(...(await mergeNotes(parts, host)));
  return signal.aborted ? undefined : problems[0];
}

async function noteThread(parts: MemoryWriterParts, host: BackgroundHost, thread: ThreadSummary) {
  const { home, secrets } = parts;
  const { id, updatedAt, cwd, gitBranch, location } = thread;
  const told = await parts.read(id);
  const about = { threadId: id, usedAt: updatedAt, at: parts.now(), cwd };
  // The thread permits no notes, which can change only with the thread itself: record that, so as not to read it again.
  if (told === undefined) {
    replaceNote(home, { ...about, kind: 'nothing', text: '', tokens: 0 });
    return 'skipped';
  }
  const clean = told.map((entry) => ({ ...entry, text: redactSecrets(entry.text, secrets) }));
  const day = new Date(updatedAt).toISOString().slice(0, 10);
  const said = await parts.ask({
    purpose: 'extract',
    instructions: memoryExtractionInstructions,
    outputSchema: memoryExtractionSchema,
    message: (window) =>
      memoryExtractionMessage({ day, cwd, branch: gitBranch }, threadExtract(clean, spaceIn(window, parts))),
  });
  host.spend(said.used);
  if (said.kind === 'aborted') return 'skipped';
  const tokens = said.used.total;
  const answer = said.kind === 'answered' ? readAnswer(said.text, memoryExtractionSchema) : undefined;
  if (answer === undefined) {
    recordFailure(home, { ...about, kind: 'failed', text: '', tokens });
    return said.kind === 'failed' ? said.outcome : unreadable(`the thread ${id}`);
  }
  const text = kept(answer['raw_memory'], most.note, secrets);
  const summary = kept(answer['rollout_summary'], most.thread, secrets);
  const file = summary === '' ? undefined : `${stamp(updatedAt)}-${id.slice(-8)}-${slugOf(answer['rollout_slug'])}.md`;
  if (file !== undefined) writeThreadSummary(home, file, summaryText({ id, updatedAt, cwd, location }, summary));
  replaceNote(home, { ...about, kind: text === '' ? 'nothing' : 'noted', text, tokens, file });
  return 'noted';
}

/** Also removes the summary of the previous note. */
function replaceNote(home: string, note: MemoryNote): void {
  const before = noteOf(home, note)?.file;
  writeMemoryNote(home, note);
  if (before !== undefined && before !== note.file) removeThreadSummary(home, before);
}

/** Keeps the previous note of the thread. */
function recordFailure(home: string, note: MemoryNote): void {
  const before = noteOf(home, note);
  if (before === undefined || before.kind === 'failed') return writeMemoryNote(home, note);
  const { usedAt, at, tokens } = note;
  writeMemoryNote(home, { ...before, tokens: before.tokens + tokens, failed: { usedAt, at } });
}

/** Read late: the user may clear the memory while a model is asked. */
const noteOf = (home: string, { threadId }: MemoryNote): MemoryNote | undefined =>
  readMemoryNotes(home).find((note) => note.threadId === threadId);

/** Merges notes into the two files, if some are not in them yet. */
async function mergeNotes(parts: MemoryWriterParts, host: BackgroundHost): Promise<readonly Outcome[]> {
  const { home, secrets, rules } = parts;
  const all = readMemoryNotes(home).filter(({ kind }) => kind === 'noted');
  const newest = all.reduce((latest, { at }) => Math.max(latest, at), 0);
  if (newest <= readNotesMergedAt(home)) return [];
  const { memory, summary } = readMemoryTexts(home);
  const now = parts.now();
  const notes = all
    .filter(({ usedAt, at }) => now - usedAt <= rules.maxUnusedMs || at > readNotesMergedAt(home))
    .toSorted((a, b) => b.at - a.at)
    .slice(0, rules.mostNotes)
    .map(({ usedAt, cwd, file, text }) => ({ day: new Date(usedAt).toISOString().slice(0, 10), text, cwd, file }));
  const material = { memory: redactSecrets(memory, secrets), summary: redactSecrets(summary, secrets), notes };
  const said = await parts.ask({
    purpose: 'consolidate',
    instructions: memoryMergeInstructions,
    outputSchema: memoryMergeSchema,
    message: (window) => memoryMergeMessage(material, spaceIn(window, parts)),
  });
  host.spend(said.used);
  if (said.kind === 'aborted') return [];
  if (said.kind === 'failed') return [said.outcome];
  const answer = readAnswer(said.text, memoryMergeSchema);
  const texts = {
    memory: kept(answer?.['memory_md'], most.memory, secrets),
    summary: kept(answer?.['memory_summary_md'], most.summary, secrets),
  };
  if (texts.memory === '' || texts.summary === '') return [unreadable('the files')];
  writeMemoryTexts(home, texts);
  writeNotesMergedAt(home, newest);
  return [];
}

const spaceIn = (window: number, { share }: MemoryWriterParts): number =>
  Math.max(1, Math.floor((window * Math.min(share, mostShare)) / 100));

function readAnswer(text: string, schema: JsonObject): JsonObject | undefined {
  const keys = schema['required'] as readonly string[];
  const found = readLooseJson(text, keys);
  return found.kind === 'found' && keys.every((key) => stringAt(found.value, key) !== undefined)
    ? found.value
    : undefined;
}

const kept = (value: JsonObject[string], tokens: number, secrets: readonly string[]): string =>
  typeof value === 'string' ? cutText(redactSecrets(value, secrets).trim(), tokens) : '';

function slugOf(value: JsonObject[string]): string {
  const words = typeof value === 'string' ? value.toLowerCase().replace(/[^a-z0-9]+/g, '-') : '';
  return words.slice(0, 60).replace(/^-|-$/g, '') || 'thread';
}

const stamp = (time: number): string => new Date(time).toISOString().slice(0, 19).replaceAll(':', '-');

function summaryText(
  about: Pick<ThreadSummary, 'id' | 'updatedAt' | 'location'> & { readonly cwd: string | undefined },
  text: string,
): string {
  const head = [
    `thread_id: ${about.id}`,
    `updated_at: ${new Date(about.updatedAt).toISOString()}`,
    `rollout_path: ${JSON.stringify(about.location)}`,
    ...(about.cwd === undefined ? [] : [`cwd: ${JSON.stringify(about.cwd)}`]),
  ];
  return `${head.join('\n')}\n\n${text}`;
}

const unreadable = (what: string): Outcome => ({
  code: 'memory-unreadable-answer',
  message: `The model gave no notes about ${what} that can be read.`,
  next: 'Capstan tries again at a later start. If it happens again, set memories.extract_model to another model.',
});

export type MemoryAttempt = { readonly usedAt: number; readonly at: number; readonly isFailed: boolean };

const rest = 24 * 3_600_000;

/** Threads that need notes, newest first. Their lines say whether notes are permitted. */
export function threadsDueForNotes(
  threads: readonly ThreadSummary[],
  taken: ReadonlyMap<string, MemoryAttempt>,
  { rules, now, except }: { readonly rules: MemoryRules; readonly now: number; readonly except: ThreadId },
): readonly ThreadSummary[] {
  return threads.filter(({ id, updatedAt, turns, archived }) => {
    if (id === except || archived || turns === 0) return false;
    const idle = now - updatedAt;
    if (idle < rules.minIdleMs || idle > rules.maxAgeMs) return false;
    const before = taken.get(id);
    return before === undefined || before.usedAt < updatedAt ? true : before.isFailed && now - before.at > rest;
  });
}

const least = { said: 60, done: 30 } as const;
const mostThreads = { said: 2000, done: 600 } as const;
const share = { said: 0.2, done: 0.05 } as const;
const gapTokens = 8;

/** One JSON object per line, in order. User's words come first, then the model's, then its actions, newest first. */
export function threadExtract(entries: readonly ReviewEntry[], space: number): readonly string[] {
  const shown = new Map<number, string>();
  let left = space;
  for (const at of byWorth(entries)) {
    const { from, text } = entries[at]!;
    const kind = rank(from) < 2 ? 'said' : 'done';
    const tokens = Math.max(least[kind], Math.min(mostThreads[kind], Math.floor(space * share[kind])));
    const { line } = cutJsonLine(text, tokens - gapTokens, (short) => ({ n: at + 1, from, text: short }));
    const cost = Math.ceil((byteLength(line) + 1) / bytesPerToken) + gapTokens;
    if (cost > left) continue;
    left -= cost;
    shown.set(at, line);
  }
  const places = [...shown.keys()].toSorted((a, b) => a - b);
  return places.flatMap((at, index) => {
    const missing = at - (places[index - 1] ?? -1) - 1;
    return [...(missing === 0 ? [] : [JSON.stringify({ left_out: missing })]), shown.get(at)!];
  });
}

const byWorth = (entries: readonly ReviewEntry[]): readonly number[] =>
  entries.map((_, at) => at).toSorted((a, b) => rank(entries[a]!.from) - rank(entries[b]!.from) || b - a);

function rank(from: ReviewEntry['from']): number {
  if (from === 'user' || from === 'summary') return 0;
  return from === 'assistant' || from === 'agent' ? 1 : 2;
}
