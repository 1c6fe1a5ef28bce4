import { type HistoryEntry, type EntryCause, isModelMade } from '../../../core/history/entry.ts';
import { historyEntries } from '../../../core/history/history.ts';
import { itemTokens } from '../../../core/history/token-counts.ts';
import { apportionTokens } from '../../../core/history/window-usage.ts';
import { readCheckpointReport } from '../../../core/state/checkpoints/checkpoint-counts.ts';
import { isCostCarried } from '../../../core/state/drafts/turn-lines.ts';
import { readUsage } from '../../../core/state/drafts/usage-and-failure-fields.ts';
import { reduce } from '../../../core/state/reduce.ts';
import { readRequestRecord, type RequestRecord } from '../../../core/state/request-record.ts';
import { emptyThreadState, type ThreadState } from '../../../core/state/thread-state.ts';
import {
  foldTurnWithoutWords,
  isOfTurn,
  noTurnsWithInherited,
  turnNumber,
} from '../../../core/state/turns/turn-log.ts';
import { fragmentFamilyName } from '../../../core/world/catalog.ts';
import type { Baseline } from '../../../core/world/tell-world.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { isMessage, type Item } from '../../../protocol/item.ts';
import { isJsonObject, type Json, type JsonObject, numberAt, objectAt } from '../../../protocol/json.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import type { CheckpointReport } from '../../../protocol/thread-event.ts';
import type { Usage } from '../../../protocol/usage.ts';

export interface ThreadStory {
  readonly state: ThreadState;
  readonly turns: readonly StoryTurn[];
  readonly requests: readonly StoryRequest[];
  /** Checkpoints that were not rolled back. */
  readonly checkpoints: readonly StoryCheckpoint[];
  /** The number of the turn in which an item entered history. */
  readonly turnOf: ReadonlyMap<Item, number>;
  /** The size of the window, from the newest line about tokens. */
  readonly window?: number;
}

export interface StoryTurn {
  /** Counted from 1 over all turns that began. */
  readonly number: number;
  /** Absent: the lines hold items and no turn. */
  id?: TurnId;
  /** Time of its first line. */
  readonly at: string;
  context?: JsonObject;
  envelope?: JsonObject;
  /** A turn of ours that only compacts, without input of the user. */
  compacts: boolean;
  readonly told: ContextUpdate[];
}

/** Other programs record no requests: an answer proves that there was one, and earlier history shows its contents. */
export interface StoryRequest {
  readonly number: number;
  readonly turn: number;
  /** Time of its line, or of the first line of its answer. */
  readonly at: string;
  /** Absent: another program made it. */
  readonly record?: RequestRecord;
  readonly prefix?: JsonObject;
  readonly state: ThreadState;
  usage?: Usage;
}

export interface StoryCheckpoint {
  /** Counted from 1, without those that were rolled back. */
  readonly number: number;
  readonly turn: number;
  readonly at: string;
  /** Absent: another program made it. */
  readonly report?: CheckpointReport;
  readonly before: ThreadState;
  readonly after: ThreadState;
}

/** Reads the whole story. `reduce` alone defines the meaning of lines. */
export function readThreadStory(lines: readonly Line[]): ThreadStory {
  const story = new Storyteller();
  for (const line of lines) story.read(line);
  return story.end();
}

/** Reads with pauses, for a program that has to stay responsive. Also weighs the items, which takes longest. */
export async function readLongThreadStory(lines: readonly Line[], rest: () => Promise<void>): Promise<ThreadStory> {
  const story = new Storyteller();
  for (const line of lines) {
    story.read(line);
    await rest();
  }
  const told = story.end();
  for (const { item } of historyEntries(told.state.history)) {
    itemTokens(item);
    await rest();
  }
  return told;
}

class Storyteller {
  #state = emptyThreadState;
  #log = noTurnsWithInherited;
  readonly #turns: StoryTurn[] = [];
  readonly #requests: StoryRequest[] = [];
  readonly #checkpoints: Omit<StoryCheckpoint, 'number'>[] = [];
  /** Number of checkpoints in force, by the storage of a history: a rollback returns to an earlier history. */
  readonly #standing = new WeakMap<object, number>();
  readonly #turnOf = new Map<Item, number>();
  readonly #updates = new ToldContextCollector();
  /** The newest request of another program is being answered. */
  #answering = false;
  #counted = '';
  #window: number | undefined;

  read(line: Line): void {
    const before = this.#state;
    this.#state = reduce(before, line);
    this.#readTurn(line);
    this.#readCheckpoint(before, line);
    switch (line.type) {
      case lineType.event:
        return this.#readEvent(line);
      case lineType.turnContext:
        return this.#readContext(line);
      case lineType.responseItem:
      case lineType.compacted:
        return this.#readHistory(before, line);
      case lineType.worldState:
        return this.#updates.recorded(line.payload, before.baseline, this.#turn(line).told, this.#step());
      case lineType.request:
        return this.#readRequest(line);
      case lineType.compaction:
        this.#turn(line).compacts ||= this.#isQuiet();
        return;
      case lineType.step:
        // A count that says nothing about the window was not applied.
        if (this.#state.usage.newest.kind === 'counted' || this.#isBeside())
          this.#count(objectAt(line.payload, 'usage'), this.#requestOf(line.payload));
        return;
    }
  }

  end(): ThreadStory {
    return {
      state: this.#state,
      turns: this.#turns,
      requests: this.#requests,
      checkpoints: this.#checkpoints.map((checkpoint, at) => ({ number: at + 1, ...checkpoint })),
      turnOf: this.#turnOf,
      window: this.#window,
    };
  }

  #readCheckpoint(before: ThreadState, line: Line): void {
    const after = this.#state;
    const { storage } = after.history;
    if (line.type === lineType.compacted && storage !== before.history.storage) {
      const report = readCheckpointReport(line.payload);
      const turn = this.#turn(line);
      if (report?.phase === 'standalone_turn' || report?.phase === 'post_turn') turn.compacts = true;
      this.#checkpoints.push({ turn: turn.number, at: line.timestamp, report, before, after });
    }
    this.#checkpoints.length = this.#standing.get(storage) ?? this.#checkpoints.length;
    this.#standing.set(storage, this.#checkpoints.length);
  }

  #readTurn(line: Line): void {
    const { began } = this.#log;
    this.#log = foldTurnWithoutWords(this.#log, line);
    if (this.#log.began === began) return;
    this.#updates.flush();
    this.#turn(line).id = this.#log.newest!.id;
  }

  #readEvent({ payload }: Line): void {
    const info = payload['type'] === 'token_count' ? objectAt(payload, 'info') : undefined;
    this.#window = numberAt(info ?? payload, 'model_context_window') ?? this.#window;
    if (info === undefined) return;
    // Some programs repeat the newest count, for instance at the start of a turn. A request beside the conversation
    // adds to the total but leaves the newest count unchanged; its own count is in the line of its step.
    const total = JSON.stringify(info['total_token_usage']);
    if (total !== this.#counted && !this.#isBeside() && !isCostCarried(payload))
      this.#count(objectAt(info, 'last_token_usage'));
    this.#counted = total;
    this.#answering = false;
  }

  #readContext(line: Line): void {
    if (!isOfTurn(this.#log, line.payload)) return;
    const turn = this.#turn(line);
    turn.context = line.payload;
    if (this.#state.envelope !== undefined) turn.envelope = this.#state.envelope;
  }

  #readHistory(before: ThreadState, line: Line): void {
    const { number, told } = this.#turn(line);
    for (const entry of added(before, this.#state)) {
      if (this.#turnOf.has(entry.item)) continue;
      this.#turnOf.set(entry.item, number);
      if (line.type === lineType.responseItem) this.#readEntry(entry, before, line, told);
      // A checkpoint in the middle of a turn repeats the environment at once.
      else if (entry.origin.family === 'context' && entry.origin.cause === 'reinjection')
        this.#updates.told(entry, this.#state, told, this.#step());
    }
  }

  #readEntry(entry: HistoryEntry, before: ThreadState, line: Line, told: ContextUpdate[]): void {
    if (!isModelMade(entry)) this.#answering = false;
    if (entry.origin.family === 'context') return this.#updates.told(entry, before, told, this.#step());
    this.#updates.flush();
    // Capstan's own entries name their turn, so another program wrote this one.
    if (isModelMade(entry) && entry.turn === undefined && !this.#answering) {
      this.#answering = true;
      this.#ask(line, { state: before });
    }
  }

  #readRequest(line: Line): void {
    const record = readRequestRecord(line.payload);
    if (record === undefined) return;
    this.#updates.flush();
    this.#turn(line).compacts = record.auxiliary?.purpose === 'compaction' && this.#isQuiet();
    this.#ask(line, { state: this.#state, record, prefix: objectAt(line.payload, 'prefix') });
  }

  /** True if the newest turn only asked for a checkpoint, without input of the user. */
  #isQuiet(): boolean {
    const { number } = this.#turns.at(-1) ?? { number: 0 };
    const spoke = historyEntries(this.#state.history).some(
      ({ item, origin }) => origin.family === 'user' && this.#turnOf.get(item) === number,
    );
    return !spoke && !this.#requests.some((request) => request.turn === number && isConversationRequest(request));
  }

  #ask(line: Line, request: Pick<StoryRequest, 'state' | 'record' | 'prefix'>): void {
    const turn = this.#turn(line).number;
    this.#requests.push({ number: this.#requests.length + 1, turn, at: line.timestamp, ...request });
  }

  /** True if the newest request was made beside the conversation. */
  #isBeside(): boolean {
    return this.#requests.at(-1)?.record?.auxiliary !== undefined;
  }

  /** The request that ended: a review may end while a step is running, and has a line of its own. */
  #requestOf(step: JsonObject): StoryRequest | undefined {
    return this.#requests.findLast(({ record }) => record?.auxiliary?.purpose === step['purpose']);
  }

  #count(fields: JsonObject | undefined, request = this.#requests.at(-1)): void {
    // An overflow is recorded as a total alone: no provider counted the request.
    if (request === undefined || request.usage !== undefined || fields === undefined) return;
    if ((numberAt(fields, 'input_tokens') ?? 0) > 0) request.usage = readUsage(fields);
  }

  #turn({ timestamp }: Line): StoryTurn {
    const number = turnNumber(this.#log);
    const known = this.#turns[number - 1];
    if (known !== undefined) return known;
    const turn = { number, at: timestamp, compacts: false, told: [] };
    this.#turns.push(turn);
    return turn;
  }

  #step(): number {
    const turn = this.#turns.length;
    return this.#requests.filter((request) => request.turn === turn && isConversationRequest(request)).length + 1;
  }
}

/** True if a step of the conversation made the request, not a review or the like beside it. */
export const isConversationRequest = ({ record }: StoryRequest): boolean => record?.auxiliary === undefined;

/** The entries that a line added to history: new ones at its end, or all of them after a checkpoint. */
function added({ history: before }: ThreadState, { history: now }: ThreadState): readonly HistoryEntry[] {
  if (before === now) return [];
  const grew = now.length > before.length && now.storage[before.length - 1] === before.storage[before.length - 1];
  return historyEntries(now).slice(grew ? before.length : 0);
}

/** Texts about the environment that the model got at one moment, and the reason. */
export interface ContextUpdate {
  /** The step before which it was told, counted from 1. */
  readonly step: number;
  /** `unknown`: another program told it and left no record. */
  form: 'bundle' | 'change' | 'event' | 'unknown';
  readonly cause?: EntryCause;
  /** The event that removed the proof that the model knows it. */
  why?: string;
  /** Sections whose record changed, with the names of the changes; empty for a new or removed section. */
  readonly sections: Record<string, readonly string[]>;
  /** `text`: as the model reads it. */
  readonly texts: { readonly content: string; readonly tokens: number; readonly text: string }[];
  /** Estimated. */
  tokens: number;
}

class ToldContextCollector {
  #open: ContextUpdate | undefined;

  told(entry: HistoryEntry, { baseline }: ThreadState, list: ContextUpdate[], step: number): void {
    if (entry.origin.family !== 'context') return;
    const { cause } = entry.origin;
    if (this.#open !== undefined && this.#open.cause !== cause) this.flush();
    this.#open ??= begin(list, step, cause);
    const isUnproven = baseline.kind === 'known' || baseline.why === 'start';
    if (cause === 'reinjection') this.#open.why ??= isUnproven ? 'unproven' : baseline.why;
    this.#open.texts.push(...contextTexts(entry));
    this.#open.tokens += itemTokens(entry.item);
  }

  recorded({ full, state }: JsonObject, baseline: Baseline, list: ContextUpdate[], step: number): void {
    this.#open ??= begin(list, step, undefined);
    this.#open.form = full === true ? 'bundle' : 'change';
    const before = baseline.kind === 'known' ? baseline.state : {};
    for (const [section, now] of isJsonObject(state) ? Object.entries(state) : [])
      this.#open.sections[section] = full === true || before[section] === undefined ? [] : namesIn(now ?? null);
    this.flush();
  }

  flush(): void {
    this.#open = undefined;
  }
}

function begin(list: ContextUpdate[], step: number, cause: EntryCause | undefined): ContextUpdate {
  const form = cause === 'initial' || cause === 'reinjection' ? 'bundle' : (cause ?? 'unknown');
  const told: ContextUpdate = { step, form, cause, sections: {}, texts: [], tokens: 0 };
  list.push(told);
  return told;
}

/** The texts of a message by the names that clients know, each with its share of the whole. */
export function contextTexts({ item, origin }: HistoryEntry, total = itemTokens(item)) {
  const kinds = origin.family === 'context' ? origin.kinds : [];
  const parts = isMessage(item) ? item.content : [];
  const names = kinds.length === 0 ? ['foreign'] : kinds;
  const texts = names.map((_, index) => String(parts[index]?.['text'] ?? ''));
  const lengths = texts.map(({ length }) => length);
  const shares = apportionTokens(lengths, total);
  return names.map((kind, index) => {
    return { kind, content: fragmentFamilyName(kind), tokens: shares[index] ?? 0, text: texts[index] ?? '' };
  });
}

/** Dotted names of the values in a merge patch. */
function namesIn(patch: Json, prefix = ''): readonly string[] {
  if (!isJsonObject(patch)) return prefix === '' ? [] : [prefix];
  return Object.entries(patch).flatMap(([key, value]) =>
    namesIn(value ?? null, prefix === '' ? key : `${prefix}.${key}`),
  );
}
