import fc from 'fast-check';
import { expect } from 'vitest';
import type { RolloutStore } from '../../src/ports/thread-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line, LineDraft } from '../../src/protocol/line.ts';
import { archiveThread, unarchiveThread } from '../../src/adapters/rollout/maintenance/archive-and-delete.ts';
import { carriedState } from '../../src/core/state/checkpoints/compacted-line.ts';
import { describeState } from '../harness/describe-state.ts';
import { pinAddedLine, pinRemovedLine } from '../../src/core/state/fold/pinned-notes.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import { findForkPoint } from '../../src/engine/thread/branch/fork-thread.ts';
import { type PinningParts, pinNote, unpinNote } from '../../src/engine/thread/branch/pinned-notes.ts';
import { loadThreadState } from '../../src/engine/thread/branch/resume-thread.ts';
import { rollBack, undoRollback } from '../../src/engine/thread/branch/rollback.ts';
import { withSeals } from '../../src/adapters/rollout/store/store-with-seals-and-blobs.ts';
import { countingIds } from '../harness/fixed-parts.ts';
import { memorySeals } from '../harness/memory-seals.ts';
import { checkTurns } from './turns-law.ts';

interface ModelTurn {
  readonly id: TurnId;
  readonly drafts: readonly LineDraft[];
  readonly counts: boolean;
  readonly ended: boolean;
}

interface ModelLeft {
  readonly turns: readonly ModelTurn[];
  readonly kept: number;
  readonly by: 'rollback' | 'undo' | 'exchange';
}

/** The thread as it should be: its turns one after the other, as if there had only ever been one file. */
interface ModelThread {
  readonly id: ThreadId;
  turns: readonly ModelTurn[];
  /** The turns that undos bring back, the next one last, each with the number of turns that were left. */
  undo: readonly ModelLeft[];
  /** Texts of the notes: no rollback or undo touches them. */
  pins: readonly string[];
  archived: boolean;
}

/** One thing that is done to one of the threads. */
export type Action =
  | { readonly do: 'turn'; readonly on: number; readonly text: string; readonly form: TurnForm }
  | { readonly do: 'fork'; readonly on: number; readonly at: number; readonly how: 'through' | 'before' | 'latest' }
  | { readonly do: 'rollback'; readonly on: number; readonly count: number; readonly how: 'turns' | 'to' }
  | { readonly do: 'undo'; readonly on: number; readonly force: boolean }
  | { readonly do: 'archive'; readonly on: number }
  | { readonly do: 'pin'; readonly on: number; readonly text: string }
  | { readonly do: 'unpin'; readonly on: number; readonly at: number };

export type TurnForm = 'plain' | 'unfinished' | 'wordless' | 'checkpoint' | 'steered';

const on = fc.nat(2);
export const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('turn' as const),
      on,
      text: fc.string({ maxLength: 5 }),
      form: fc.constantFrom('plain', 'plain', 'unfinished', 'wordless', 'checkpoint', 'steered'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fork' as const),
      on,
      at: fc.nat(6),
      how: fc.constantFrom('through', 'before', 'latest'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('rollback' as const),
      on,
      count: fc.integer({ min: 1, max: 4 }),
      how: fc.constantFrom('turns', 'to'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('undo' as const), on, force: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('archive' as const), on }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pin' as const), on, text: fc.constantFrom('note x', 'note y') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unpin' as const), on, at: fc.nat(2) }) },
);

const event = (payload: JsonObject): LineDraft => ({ type: 'event_msg', payload });
const says = (role: string, text: string): LineDraft => ({
  type: 'response_item',
  payload: { type: 'message', role, content: [{ type: 'input_text', text }] },
});

/** Plays actions against a store and against the model; refusals must be expected ones. */
class Play {
  readonly #store: RolloutStore;
  readonly #proving: PinningParts;
  readonly #ids = countingIds(1);
  readonly threads: ModelThread[] = [];
  /** Counts of what happened, so that a run that does nothing is noticed. */
  readonly happened = new Map<string, number>();

  constructor(store: RolloutStore) {
    const seals = memorySeals();
    this.#store = withSeals(store, seals);
    this.#proving = { store: this.#store, seals };
  }

  async begin(): Promise<void> {
    const id = this.#ids.uuid() as ThreadId;
    const owned = await this.#store.create(id, { cwd: '/repo' });
    if (owned.kind === 'refused') throw new Error(owned.message);
    const settings = event({ type: 'thread_settings_applied', thread_settings: { model: 'm' } });
    owned.append([settings]);
    await owned.close();
    this.threads.push({
      id,
      turns: [outside(settings)],
      pins: [],
      archived: false,
      undo: [],
    });
  }

  async play(action: Action): Promise<void> {
    const thread = this.threads[action.on % this.threads.length]!;
    const before = this.happened.get(action.do) ?? 0;
    if (await this.#act(thread, action)) this.happened.set(action.do, before + 1);
    for (const each of this.threads) await this.#check(each);
  }

  #act(thread: ModelThread, action: Action): Promise<boolean> {
    switch (action.do) {
      case 'turn':
        return this.#turn(thread, action.text, action.form);
      case 'fork':
        return this.#fork(thread, action);
      case 'rollback':
        return this.#rollback(thread, action);
      case 'undo':
        return this.#undo(thread, action.force);
      case 'archive':
        return this.#archive(thread);
      case 'pin':
        return this.#pinned(thread, pinNote(this.#proving, this.#ids, thread.id, action.text));
      case 'unpin':
        return this.#pinned(thread, unpinNote(this.#proving, thread.id, String(action.at + 1)));
    }
  }

  async #turn(thread: ModelThread, text: string, form: TurnForm): Promise<boolean> {
    const owned = await this.#store.open(thread.id);
    if (owned.kind === 'refused') {
      same([owned.code, thread.archived], ['thread-archived', true]);
      return false;
    }
    const id = this.#ids.uuid() as TurnId;
    const drafts: LineDraft[] = [];
    const add = (...more: readonly LineDraft[]): void => {
      drafts.push(...more);
      owned.append(more);
    };
    add(event({ type: 'task_started', turn_id: id, started_at: 1 }));
    if (form !== 'wordless') add(says('user', text));
    if (form === 'checkpoint') {
      await owned.durable();
      const { state } = await loadThreadState(this.#store, thread.id);
      const replacement_history = [says('user', `kept ${text}`).payload];
      add({ type: 'compacted', payload: { message: '', replacement_history, capstan: carriedState(state) } });
    }
    add({ type: 'turn_context', payload: { turn_id: id, model: text } }, says('assistant', `re ${text}`));
    if (form === 'steered') add(says('user', 'more'));
    if (form !== 'unfinished') add(event({ type: 'task_complete', turn_id: id }));
    await owned.close();
    const turn = { id, drafts, counts: form !== 'wordless', ended: form !== 'unfinished' };
    thread.turns = [...thread.turns, turn];
    return true;
  }

  async #fork(
    thread: ModelThread,
    { at, how }: { at: number; how: 'through' | 'before' | 'latest' },
  ): Promise<boolean> {
    const turns = thread.turns.filter(({ id }) => id !== '');
    const turn = turns[at % Math.max(1, turns.length)];
    if (how !== 'latest' && turn === undefined) return false;
    const cut = how === 'latest' ? { kind: how } : { kind: how, turnId: turn!.id };
    const point = await findForkPoint(this.#store, thread.id, cut);
    if (point.kind === 'refused') {
      same([point.code, how, turn?.ended], ['turn-unfinished', 'through', false]);
      return false;
    }
    const id = this.#ids.uuid() as ThreadId;
    const owned = await this.#store.fork(id, { cwd: '/fork', forked_from_id: thread.id }, point.place);
    if (owned.kind === 'refused') throw new Error(owned.message);
    const settings = event({ type: 'thread_settings_applied', thread_settings: { model: 'fork' } });
    owned.append([settings]);
    await owned.close();
    const end = how === 'latest' ? undefined : thread.turns.indexOf(turn!) + (how === 'through' ? 1 : 0);
    const kept = thread.turns.slice(0, end);
    same(describeState({ ...point.state, meta: {} }), describeState(folded(kept.flatMap(({ drafts }) => drafts))));
    // It has the notes of its place.
    const pins = point.state.pins.map((pin) => pin.text);
    this.threads.push({ id, turns: [...kept, outside(settings)], pins, archived: false, undo: [] });
    return true;
  }

  async #rollback(thread: ModelThread, { count, how }: { count: number; how: 'turns' | 'to' }): Promise<boolean> {
    const real = thread.turns.filter(({ id }) => id !== '');
    const target = how === 'turns' ? real.filter(({ counts }) => counts).at(-count) : real.at(-count);
    const to = how === 'turns' ? { turns: count } : { toTurn: real.at(-count - 1)?.id ?? 'none' };
    const done = await rollBack(this.#store, this.#ids, thread.id, to);
    if (done.kind === 'refused') {
      const expected = thread.archived ? 'thread-archived' : how === 'turns' ? 'nothing-to-roll-back' : 'turn-unknown';
      same(done.code, expected);
      return false;
    }
    const cut = thread.turns.indexOf(target!);
    same(
      done.turns,
      thread.turns.slice(cut).flatMap(({ id }) => (id === '' ? [] : [id])),
    );
    const kept = thread.turns.slice(0, cut);
    const before = thread.undo.filter(({ by }) => by !== 'undo');
    thread.undo = [...before, { turns: thread.turns, kept: realTurns(kept), by: 'rollback' as const }].slice(-10);
    thread.turns = await this.#withPins(thread.id, kept);
    return true;
  }

  async #undo(thread: ModelThread, force: boolean): Promise<boolean> {
    const { undo, turns, archived } = thread;
    const last = undo.at(-1);
    const done = await undoRollback(this.#store, this.#ids, thread.id, { force });
    if (done.kind === 'refused') {
      const expected = archived ? 'thread-archived' : last === undefined ? 'nothing-to-undo' : 'turns-since-rollback';
      same([done.code, force && expected === 'turns-since-rollback'], [expected, false]);
      return false;
    }
    thread.turns = await this.#withPins(thread.id, last!.turns);
    thread.undo = undosLeft(undo, turns);
    return true;
  }

  /** The turns with the lines that a revert adds by itself: they are about notes. */
  async #withPins(id: ThreadId, turns: readonly ModelTurn[]): Promise<readonly ModelTurn[]> {
    const lines = await collect(this.#store.read(id, { from: 0 as Ordinal }));
    const added = lines.slice(1 + turns.flatMap(({ drafts }) => drafts).length);
    same([...new Set(added.map(({ type }) => type))], added.length === 0 ? [] : ['capstan_pin']);
    return added.length === 0 ? turns : [...turns, outside(...added.map(({ type, payload }) => ({ type, payload })))];
  }

  async #pinned(thread: ModelThread, change: ReturnType<typeof pinNote>): Promise<boolean> {
    const done = await change;
    if (done.kind === 'refused') {
      same(done.code, thread.archived ? 'thread-archived' : 'pin-unknown');
      return false;
    }
    const { kind, pin, pins } = done;
    thread.pins = kind === 'pinned' ? [...thread.pins, pin.text] : pins.map(({ text }) => text);
    const draft = kind === 'pinned' ? pinAddedLine(pin) : pinRemovedLine(pin.id);
    const { type, payload } = (await collect(this.#store.read(thread.id, { from: 0 as Ordinal }))).at(-1)!;
    const { seal: _seal, ...said } = payload;
    same({ type, payload: said }, draft);
    thread.turns = [...thread.turns, outside({ type, payload })];
    return true;
  }

  async #archive(thread: ModelThread): Promise<boolean> {
    const act = thread.archived ? unarchiveThread : archiveThread;
    same((await act(this.#store, thread.id)).kind, thread.archived ? 'unarchived' : 'archived');
    thread.archived = !thread.archived;
    return true;
  }

  async #check({ id, turns, pins }: ModelThread): Promise<void> {
    const lines = await collect(this.#store.read(id, { from: 0 as Ordinal }));
    same((await collect(this.#store.readBack(id))).toReversed(), lines);
    const [meta, ...rest] = lines;
    const drafts = turns.flatMap((turn) => turn.drafts);
    same(
      rest.map(({ type, payload }) => ({ type, payload })),
      drafts,
    );
    const ordinals = rest.map(({ ordinal }) => ordinal ?? -1);
    same(
      ordinals,
      [...new Set(ordinals)].toSorted((a, b) => a - b),
    );
    same(await checkTurns(lines), realTurns(turns));
    // The fold of the files, from as near to the end as may be, is that of the one file that there never was.
    const { state } = await loadThreadState(this.#store, id);
    same(describeState(state), describeState(folded([meta!, ...drafts])));
    same(
      state.pins.map(({ text }) => text),
      pins,
    );
  }
}

/** The turns that undos still bring back after one that left these turns. */
function undosLeft(undo: ModelThread['undo'], turns: readonly ModelTurn[]): ModelThread['undo'] {
  const [earlier, last] = [undo.slice(0, -1), undo.at(-1)!];
  const kept = realTurns(last.turns);
  if (last.by === 'undo') return [...earlier, { turns, kept, by: 'rollback' }];
  if (realTurns(turns) > last.kept) return [...earlier, { turns, kept, by: 'exchange' }];
  if (last.by === 'rollback') return earlier.length > 0 ? earlier : [{ turns, kept, by: 'undo' }];
  // All that the thread left goes round.
  const round: ModelThread['undo'] = [{ turns, kept, by: 'exchange' }, ...earlier];
  return [...round.slice(0, -1), { ...round.at(-1)!, kept, by: 'exchange' }];
}

/** Lines that belong to no turn. */
function outside(...drafts: readonly LineDraft[]): ModelTurn {
  return { id: '' as TurnId, drafts, counts: false, ended: true };
}

function same(actual: unknown, expected: unknown): void {
  expect(actual).toEqual(expected);
}

function folded(drafts: readonly LineDraft[]) {
  return drafts.reduce((state, draft) => reduce(state, { timestamp: '', ...draft }), emptyThreadState);
}

async function collect(lines: AsyncIterable<Line>): Promise<readonly Line[]> {
  const found: Line[] = [];
  for await (const line of lines) found.push(line);
  return found;
}

/** Plays actions and compares after each of them. */
export async function playAll(store: RolloutStore, actions: readonly Action[]): Promise<Play> {
  const play = new Play(store);
  await play.begin();
  for (const each of actions) await play.play(each);
  return play;
}

function realTurns(turns: readonly ModelTurn[]): number {
  return turns.filter(({ id }) => id !== '').length;
}
