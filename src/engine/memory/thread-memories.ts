import { makeOwnFolder } from '../../adapters/disk/own-files.ts';
import { inFreeLock } from '../../adapters/disk/wait-for-lock.ts';
import { configInFolder } from '../../adapters/gather/config/config-in-folder.ts';
import {
  memoryFolder,
  memoryNotesFolder,
  readMemoryTexts,
  readNotesMergedAt,
  readMemoryNotes,
  removeThreadSummary,
  writeMemoryTexts,
  writeNotesMergedAt,
  writeMemoryNote,
  writeThreadSummary,
  type MemoryNote,
} from '../../adapters/gather/memory-files.ts';
import { credentialStore, loginSecrets } from '../../adapters/mcp/credential-store.ts';
import type { Config } from '../../core/config/config.ts';
import { defaultWindowShares } from '../../core/config/defaults.ts';
import { memorySettings, type MemorySettings } from '../../core/config/memories.ts';
import { lookUpModel, type Catalogue } from '../../core/envelope/model-record.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { configuredSecrets, isSecretVariable, redactSecrets } from '../../core/policy/secrets.ts';
import { transcriptEntries } from '../../core/state/review-request.ts';
import type { BackgroundHost, BackgroundWork } from '../../ports/threads.ts';
import { messageOfThrown } from '../../protocol/display-text.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { stringAt, type JsonObject } from '../../protocol/json.ts';
import { lineType, type Line, type LineKind } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';
import { loadThreadState } from '../thread/branch/resume-thread.ts';
import { readLooseJson } from '../../core/compaction/candidates/loose-json.ts';
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
import type { ThreadSummary } from '../../protocol/thread.ts';

/** Writes notes about earlier threads while this one is open. Loaded only where enabled. */
export interface ThreadMemories extends BackgroundWork {
  /** Runs once and does not block. */
  start(): void;
  /** Ends soon and keeps what is written by then. */
  release(): Promise<void>;
}

type MemoriesOfThread = { readonly config: Config; readonly settings: Settings; readonly catalogue: Catalogue };
const looked = 200;

export function openThreadMemories(engine: EngineParts, input: MemoriesOfThread): ThreadMemories {
  const stop = new AbortController();
  let host: BackgroundHost | undefined;
  let work: Promise<void> | undefined;
  return {
    attach: (given) => void (host = given),
    start() {
      if (host !== undefined && !stop.signal.aborted) work ??= run(engine, input, host, stop.signal);
    },
    async release() {
      stop.abort();
      await work;
    },
  };
}

/** One process at a time. Never rejects. */
async function run(engine: EngineParts, input: MemoriesOfThread, host: BackgroundHost, signal: AbortSignal) {
  try {
    await inFreeLock(engine.locks, `${memoryNotesFolder(engine.base.home)}/lock`, async () => {
      const secrets = await secretsOf(engine, input);
      const problem = await writeMemories(writerParts(engine, input, secrets, signal), host, signal);
      if (problem !== undefined) host.warn(unwritten(problem.message, problem.next));
    });
  } catch (error) {
    host.warn(unwritten(`${messageOfThrown(error)}.`, 'Capstan tries again at a later start.'));
  }
}

const unwritten = (why: string, next: string): Outcome => ({
  code: 'memory-unwritten',
  message: `No notes were written about earlier threads: ${why}`,
  next,
});

/** `secrets`: texts that must not be sent or written. */
function writerParts(
  engine: EngineParts,
  { config, settings, catalogue }: MemoriesOfThread,
  secrets: readonly string[],
  signal: AbortSignal,
) {
  const { home } = engine.base;
  const rules = memorySettings(config.memories);
  const { memoryPercent: share } = { ...defaultWindowShares(settings.window), ...settings.window };
  return {
    home,
    rules,
    /** Percentage of the effective window that a model is given at once. */
    share,
    secrets,
    now: () => engine.clock.now(),
    async list() {
      const page = await engine.threadStore.directory.list({ limit: looked, sort: 'updated' });
      return 'threads' in page ? page.threads : [];
    },
    /** The conversation of a thread. Undefined: no notes may be written about it. */
    async read(id: ThreadId) {
      const mode = await modeOf(engine, id);
      if (mode === 'disabled' || (mode === 'polluted' && rules.skipsExternal)) return undefined;
      return transcriptEntries((await loadThreadState(engine.store, id)).state.history);
    },
    async ask({ purpose, ...question }: MemoryQuestion) {
      makeOwnFolder(memoryFolder(home), 'readable');
      const model = (purpose === 'extract' ? rules.extractModel : rules.consolidationModel) ?? settings.model;
      const effort = effortOf(catalogue, model, purpose === 'extract' ? 'low' : 'medium');
      const asked = { ...question, model, effort, settings, cwd: memoryFolder(home), signal };
      return engine.askModel({ ...asked, threadSource: 'memory_consolidation' });
    },
  };
}

/** Returns undefined for a model without efforts, and the model's middle one if it lacks the wanted one. */
function effortOf(catalogue: Catalogue, model: string, wanted: string): string | undefined {
  const { supportedEfforts } = lookUpModel(catalogue, model);
  if (supportedEfforts.includes(wanted)) return wanted;
  return supportedEfforts[Math.floor((supportedEfforts.length - 1) / 2)];
}

/** Reads all lines: the last mode counts, even one that a checkpoint left out. */
async function modeOf({ store }: EngineParts, id: ThreadId): Promise<MemoryMode> {
  let mode: MemoryMode = 'enabled';
  for await (const line of store.read(id, { from: 0 as Ordinal, wanted: concernsMemory }))
    mode = foldMemoryMode(mode, line);
  return mode;
}

/** Values that no model may read: secret variables, the configuration's secrets, and logins to servers. */
async function secretsOf(engine: EngineParts, { settings }: MemoriesOfThread): Promise<readonly string[]> {
  const { base, options } = engine;
  const { withheld = [] } = settings.shellEnvironment;
  const ofVariables = Object.entries(options.env).flatMap(([name, value]) =>
    value !== undefined && (isSecretVariable(name) || withheld.includes(name)) ? [value] : [],
  );
  const { config, layers } = await configInFolder(base, settings.cwd);
  const credentials = credentialStore(base.home, engine);
  const ofLogins = Object.values(config.mcpServers ?? {}).flatMap(({ url = '' }) =>
    loginSecrets(credentials.read(url)),
  );
  return [...ofVariables, ...layers.flatMap(({ values }) => configuredSecrets(values)), ...ofLogins];
}

/** Permission to write notes about a thread. `polluted`: it contains text from the web or from MCP servers. */
export type MemoryMode = 'enabled' | 'disabled' | 'polluted';

function concernsMemory({ type }: LineKind): boolean {
  const { sessionMeta, responseItem, event, call } = lineType;
  return type === sessionMeta || type === responseItem || type === event || type === call;
}

/** The newest mode that the thread itself states counts. Text from others only turns `enabled` into `polluted`. */
export function foldMemoryMode(mode: MemoryMode, line: Line): MemoryMode {
  if (line.type === lineType.sessionMeta) {
    const said = stringAt(line.payload, 'memory_mode');
    return said === 'enabled' || said === 'disabled' || said === 'polluted' ? said : mode;
  }
  return mode === 'enabled' && bringsOthersWords(line) ? 'polluted' : mode;
}

/** True for text from the web or from MCP servers, even in a turn taken back: the words may survive in later text. */
function bringsOthersWords({ type, payload }: Line): boolean {
  if (type === lineType.call) return payload['external'] === true;
  const kind = stringAt(payload, 'type') ?? '';
  if (type === lineType.event) return kind.startsWith('mcp_tool_call') || kind.startsWith('web_search');
  if (kind === 'web_search_call' || kind === 'mcp_call' || kind === 'mcp_tool_call') return true;
  // Other programs and earlier versions do not record which calls are external: only tool names show it.
  if (kind !== 'function_call' && kind !== 'custom_tool_call') return false;
  const [name, namespace] = [stringAt(payload, 'name') ?? '', stringAt(payload, 'namespace') ?? ''];
  return [name, namespace].some((each) => each.startsWith('mcp__')) || name === 'call_tool' || namespace === 'web';
}

type MemoryWriterParts = ReturnType<typeof writerParts>;

interface MemoryQuestion {
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
async function writeMemories(parts: MemoryWriterParts, host: BackgroundHost, signal: AbortSignal) {
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
  const isWhole = found.kind === 'found' && keys.every((key) => stringAt(found.value, key) !== undefined);
  return isWhole ? found.value : undefined;
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

type MemoryAttempt = Readonly<{ usedAt: number; at: number; isFailed: boolean }>;
const rest = 24 * 3_600_000;

/** Threads that need notes, newest first. Their lines say whether notes are permitted. */
export function threadsDueForNotes(
  threads: readonly ThreadSummary[],
  taken: ReadonlyMap<string, MemoryAttempt>,
  { rules, now, except }: { readonly rules: MemorySettings; readonly now: number; readonly except: ThreadId },
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
