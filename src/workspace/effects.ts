import { defined } from '../protocol/defined.ts';
import type { FilesPutBack } from '../protocol/files-put-back.ts';
import type { TurnId } from '../protocol/ids.ts';
import { arrayAt, objectAt, stringAt } from '../protocol/json.ts';
import { type Line, lineType } from '../protocol/line.ts';
import { oneLine } from '../state/one-line.ts';
import { type Changer, readSnapshotLine } from '../state/snapshot-record.ts';
import { spokenWords } from '../state/spoken-words.ts';
import { turnsOf, type TurnSummary } from '../state/turn-list.ts';
import { foldTurn, noTurns } from '../state/turns.ts';
import { putBackIn } from '../state/waiting.ts';
import type { Changes } from './compare-trees.ts';
import type { Transition } from './restore-plan.ts';
import type { Hash } from './tree.ts';

/** What a turn or a restore did to a workspace: the trees before and after it, as far as they are known. */
export interface Effect {
  readonly changer: Changer;
  readonly root: string;
  readonly before?: string;
  readonly after?: string;
  /** What others alone would have left. Absent in records that do not say. */
  readonly others?: string;
}

/** A call that ran without the sandbox: what it changed beyond the workspace is in no snapshot. */
export interface OutsideCall {
  readonly turnId: TurnId;
  /** The command, or the name of the tool. */
  readonly what: string;
}

export interface EffectList {
  /** Those that were not taken back. */
  readonly turns: readonly TurnSummary[];
  /** Oldest first. Those of turns that were taken back are among them: files do not go back with the conversation. */
  readonly effects: readonly Effect[];
  /** Oldest first, of any turn. */
  readonly outside: readonly OutsideCall[];
  /** What the thread was told when files last went back. Absent: nothing. */
  readonly putBack?: FilesPutBack;
}

export async function readEffects(lines: AsyncIterable<Line>): Promise<EffectList> {
  let log = noTurns;
  const effects: Effect[] = [];
  const outside: OutsideCall[] = [];
  let putBack: FilesPutBack | undefined;
  for await (const line of lines) {
    log = foldTurn(log, line, spokenWords(line));
    outside.push(...outsideCall(line));
    if (line.type === lineType.waiting) putBack = putBackIn(line.payload) ?? putBack;
    const record = readSnapshotLine(line);
    if (record === undefined) continue;
    const { changer, root, when, tree, others } = record;
    if (when === 'before') effects.push({ changer, root, ...(tree && { before: tree }) });
    const at = effects.findLastIndex((effect) => sameChanger(effect.changer, changer));
    const begun = effects[at];
    if (when === 'after' && begun !== undefined)
      effects[at] = { ...begun, ...(tree && { after: tree }), ...(others && { others }) };
  }
  return { turns: turnsOf(log), effects, outside, ...defined({ putBack }) };
}

function outsideCall({ type, payload }: Line): readonly OutsideCall[] {
  const turnId = stringAt(payload, 'turn_id');
  if (type !== lineType.call || payload['outside'] !== true || turnId === undefined) return [];
  const command = arrayAt(objectAt(payload, 'item'), 'command')?.at(-1);
  const what = typeof command === 'string' ? command : (stringAt(payload, 'tool') ?? '');
  return [{ turnId: turnId as TurnId, what: oneLine(what, 200) }];
}

function sameChanger(a: Changer, b: Changer): boolean {
  if (a.kind === 'turn') return b.kind === 'turn' && a.turnId === b.turnId;
  return b.kind === 'restore' && a.restoreId === b.restoreId;
}

interface EffectTransition extends Transition {
  /** Of which of the effects it is a part, from 0; absent for what lies between two. */
  readonly effect?: number;
}

/**
 * What happened to one workspace since the first of the effects, up to the tree that stands there now. What lies
 * between two effects is the user's, as is what others did during one; what a cut-off turn did cannot be separated from
 * what the user did after it.
 */
export async function transitionsOf(
  effects: readonly Effect[],
  now: Hash,
  compare: (from: Hash, to: Hash) => Promise<Changes>,
): Promise<readonly EffectTransition[]> {
  const transitions: EffectTransition[] = [];
  let at: Hash | undefined;
  let between: 'user' | 'unknown' = 'user';
  for (const [effect, { changer, before, after, others }] of effects.entries()) {
    if (before === undefined) {
      between = 'unknown';
      continue;
    }
    if (at !== undefined) transitions.push({ by: between, changes: await compare(at, before) });
    if (after !== undefined) {
      if (others !== undefined) transitions.push({ by: 'others', changes: await compare(before, others), effect });
      const by = changer.kind === 'turn' && others === undefined ? 'unrecorded' : 'thread';
      transitions.push({ by, changes: await compare(others ?? before, after), effect });
    }
    at = after ?? before;
    between = after === undefined ? 'unknown' : 'user';
  }
  if (at !== undefined) transitions.push({ by: between, changes: await compare(at, now) });
  return transitions;
}
