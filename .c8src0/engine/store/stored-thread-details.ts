import { fileSystem } from '../../adapters/disk/file-system.ts';
import { defined } from '../../base/objects.ts';
import { type Pin, readPin } from '../../core/state/fold/pinned-notes.ts';
import { readWaitingMessage, type WaitingMessage } from '../../core/state/fold/waiting-messages.ts';
import { readTurnItems } from '../../core/state/turns/turn-items.ts';
import { type ThreadPlaces, summariseTurns, turnPlaces, type TurnSummary } from '../../core/state/turns/turn-list.ts';
import { concernsTurns } from '../../core/state/turns/turn-log.ts';
import type { AsideRollout, RolloutStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../protocol/ids.ts';
import { type JsonObject, objectAt, objectsAt, stringAt } from '../../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../../protocol/line.ts';
import { Fault, type Outcome } from '../../protocol/outcome.ts';
import type { CheckpointReport } from '../../protocol/thread-event.ts';
import { type UnprovenClaims, withoutSeal } from '../thread/branch/unproven-lines.ts';

/** A file can claim any number; the newest are shown. */
const mostShown = 100;

export async function readUnprovenClaims(store: Pick<RolloutStore, 'read'>, id: ThreadId): Promise<UnprovenClaims> {
  const messages = new SetAside<WaitingMessage>((payload) => readWaitingMessage(payload));
  const pins = new SetAside<Pin>((payload) => readPin(payload));
  for await (const { type, payload } of store.read(id, { from: 0 as Ordinal, wanted })) {
    if (type === lineType.waiting) messages.take(payload, stringAt(payload, 'dropped'));
    const removed = payload['removed'] === true ? stringAt(payload, 'because') : undefined;
    if (type === lineType.pin) pins.take(payload, removed);
    if (type === lineType.compacted) {
      const carried = objectAt(payload, 'capstan');
      for (const each of objectsAt(carried, 'waiting')) messages.take(each, undefined);
      for (const each of objectsAt(carried, 'pins')) pins.take(each, undefined);
    }
  }
  return { messages: messages.found, pins: pins.found };
}

function wanted({ type }: LineKind): boolean {
  return type === lineType.waiting || type === lineType.pin || type === lineType.compacted;
}

class SetAside<Said extends { readonly id: string; readonly seal?: string }> {
  readonly #said = new Map<string, Said>();
  readonly #ended = new Map<string, Said>();
  readonly #read: (payload: JsonObject) => Said | undefined;

  constructor(read: (payload: JsonObject) => Said | undefined) {
    this.#read = read;
  }

  /** `because`: why the line ends an earlier entry; undefined if it does not. */
  take(payload: JsonObject, because: string | undefined): void {
    const id = stringAt(payload, 'id') ?? '';
    const said = because === undefined ? this.#read(payload) : this.#said.get(id);
    if (said === undefined) return;
    if (because === undefined) this.#said.set(id, said);
    if (because === 'unproven') this.#ended.set(id, said);
  }

  get found(): readonly Said[] {
    return [...this.#ended.values()].slice(-mostShown).map((said) => withoutSeal<Said>(said));
  }
}

/** Requests that rollbacks removed from a thread; the model saw them all the same. */
export interface TakenBackRequests {
  readonly requests: number;
  readonly parts: readonly TakenBackPart[];
  /** Why they could not be counted. The thread itself does not need the rollouts that it left. */
  readonly problem?: Outcome;
}

export interface TakenBackPart extends Omit<AsideRollout, 'rolloutId'> {
  /** All lines of the thread as it was when it left this rollout, from the first. */
  lines(): AsyncGenerator<Line>;
}

/** Cheap: reads only the records of requests. */
export async function readTakenBack(
  store: Pick<RolloutStore, 'read' | 'aside'>,
  id: ThreadId,
): Promise<TakenBackRequests> {
  let requests = 0;
  const parts: TakenBackPart[] = [];
  const wanted = ({ type }: Pick<LineKind, 'type'>): boolean => type === lineType.request;
  try {
    for (const { rolloutId, location, from } of (await store.aside?.(id)) ?? []) {
      let own = 0;
      for await (const line of store.read(id, { rolloutId, from, wanted })) own += wanted(line) ? 1 : 0;
      requests += own;
      if (own > 0) parts.push({ location, from, lines: () => store.read(id, { rolloutId, from: 0 as Ordinal }) });
    }
    return { requests, parts };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { code, message, next } = error;
    return { requests: 0, parts: [], problem: { code, message, next } };
  }
}

export interface ThreadCheckpoint {
  /** Counted from 1 over those not taken back. */
  readonly number: number;
  /** The turn in which it was made, or after which. */
  readonly turn?: TurnId;
  readonly at: string;
  /** Absent: another program made it. */
  readonly report?: CheckpointReport;
}

export async function checkpointsOf(store: RolloutStore, id: ThreadId): Promise<readonly ThreadCheckpoint[]> {
  const { turns, checkpoints } = await readPlaces(store, id);
  return checkpoints.map(({ turns: begun, timestamp: at, report }, index) => {
    return { number: index + 1, ...defined({ turn: turns[begun - 1]?.id }), at, ...defined({ report }) };
  });
}

export function readPlaces(store: RolloutStore, id: ThreadId): Promise<ThreadPlaces> {
  return turnPlaces(store.read(id, { from: 0 as Ordinal }));
}

/** The turns as lists show them. Lines of the old form have no ordinals, so each of them has to be counted. */
export async function readTurnList(store: RolloutStore, id: ThreadId): Promise<readonly TurnSummary[]> {
  const current = await store.current(id);
  const isCounted = current.kind === 'current' && current.mode === 'legacy';
  return summariseTurns(store.read(id, { from: 0 as Ordinal, ...(isCounted ? {} : { wanted: concernsTurns }) }));
}

export interface WrittenMessage {
  readonly words: string;
  /** In the order of their numbers, as data URLs. */
  readonly pictures: readonly string[];
}

/** The user's words at the beginning of a turn and during it. A rollback can return to the place before the turn. */
export interface ThreadPrompt {
  readonly turnId: TurnId;
  /** All of the user's words; messages that steered the turn follow the first. */
  readonly words: string;
  readonly messages: readonly WrittenMessage[];
  /** Milliseconds since the Unix epoch. Absent: the record does not say. */
  readonly startedAt?: number;
}

/** Prompts of turns that were not taken back, oldest first, without turns in which the user wrote nothing. */
export function promptsIn(lines: Iterable<Line>): readonly ThreadPrompt[] {
  return readTurnItems(lines).turns.flatMap(({ id, isTakenBack, items, startedAt }) => {
    if (id === undefined || isTakenBack) return [];
    const said = items.flatMap((item) => (item.kind === 'user' && item.author === undefined ? [item] : []));
    const messages = said
      .map(({ texts, pictures }) => ({ words: texts.join('\n\n'), pictures }))
      .filter(({ words, pictures }) => words !== '' || pictures.length > 0);
    if (messages.length === 0) return [];
    const words = messages.map((message) => message.words).join('\n\n');
    const at = Date.parse(startedAt);
    return [{ turnId: id, words, messages, ...(Number.isNaN(at) ? {} : { startedAt: at }) }];
  });
}

export interface ThreadWriter {
  /** For people. */
  readonly name: string;
  readonly pid?: number;
  readonly since?: number;
  /** Which command of ours it is, if the system says so. Empty: the terminal. */
  readonly command?: string;
}

export function parseThreadWriter(owner: string): ThreadWriter {
  const [, name = owner, number, time] = /^(.*?) pid (\d+)(?: since (\S+))?$/.exec(owner) ?? [];
  const pid = number === undefined ? undefined : Number(number);
  const since = time === undefined ? undefined : Date.parse(time);
  const command = pid !== undefined && name === 'capstan' ? commandOf(pid) : undefined;
  return { name, ...defined({ pid, since, command }) };
}

/** Only our own words: the rest of a command line is private. */
const known = new Set(['exec', 'e', 'review', 'mcp-server', 'threads']);

function commandOf(pid: number): string | undefined {
  try {
    const words = fileSystem.readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
    return words.slice(1, 4).find((word) => known.has(word)) ?? '';
  } catch {
    return undefined;
  }
}
