import type { TurnId } from '../protocol/ids.ts';
import { numberAt, stringAt } from '../protocol/json.ts';
import { type Line, type LineKind, lineType } from '../protocol/line.ts';
import { type Changer, readSnapshotLine } from '../state/snapshot-record.ts';

/** What a turn or a restore did to a workspace: the trees before and after it, as far as they are known. */
export interface Effect {
  readonly changer: Changer;
  readonly root: string;
  /** How many turns had begun: 1 in the first. */
  readonly turn: number;
  readonly before?: string;
  readonly after?: string;
}

export interface EffectList {
  readonly turns: readonly TurnId[];
  /** Oldest first. */
  readonly effects: readonly Effect[];
}

/** Whether `readEffects` looks at a line of this kind. */
export function tellsEffects({ type, payloadType = 'task_started' }: LineKind): boolean {
  return type === lineType.snapshot || (type === lineType.event && marks.has(payloadType));
}

const starts: ReadonlySet<unknown> = new Set(['task_started', 'turn_started']);
const marks: ReadonlySet<string> = new Set(['task_started', 'turn_started', 'thread_rolled_back']);

export async function readEffects(lines: AsyncIterable<Line>): Promise<EffectList> {
  const turns: TurnId[] = [];
  const effects: Effect[] = [];
  for await (const line of lines) {
    const { type, payload } = line;
    if (type === lineType.event && starts.has(payload['type'])) {
      turns.push((stringAt(payload, 'turn_id') ?? '') as TurnId);
    }
    if (type === lineType.event && payload['type'] === 'thread_rolled_back') {
      turns.splice(Math.max(0, turns.length - (numberAt(payload, 'num_turns') ?? 0)));
    }
    const record = readSnapshotLine(line);
    if (record === undefined) continue;
    const { changer, root, when, tree } = record;
    if (when === 'before') effects.push({ changer, root, turn: turns.length, ...(tree && { before: tree }) });
    const at = effects.findLastIndex((effect) => sameChanger(effect.changer, changer) && effect.root === root);
    const begun = effects[at];
    if (when === 'after' && begun !== undefined) effects[at] = { ...begun, ...(tree && { after: tree }) };
  }
  return { turns, effects };
}

function sameChanger(a: Changer, b: Changer): boolean {
  if (a.kind === 'turn') return b.kind === 'turn' && a.turnId === b.turnId;
  return b.kind === 'restore' && a.restoreId === b.restoreId;
}
