import { isTemporaryName } from '../../adapters/disk/file-system.ts';
import type { RestoredFiles } from '../../protocol/turn-item.ts';
import type { TurnId } from '../../protocol/ids.ts';
import { arrayAt, objectAt, stringAt } from '../../protocol/json.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import { toOneLine, messageWordsOf } from '../../core/state/turns/turn-words.ts';
import { type FileChangeMaker, readSnapshotLine } from '../../core/state/drafts/workspace-lines.ts';
import { turnSummariesOf, type TurnSummary } from '../../core/state/turns/turn-list.ts';
import { foldTurn, noTurns } from '../../core/state/turns/turn-log.ts';
import { restoredFilesIn } from '../../core/state/fold/waiting-messages.ts';
import { sameEntry } from './snapshot-tree.ts';
import type { SnapshotPathChange, SnapshotPathChanges, ContentHash, TreeNode } from './snapshot-tree.ts';
import type { WorkspaceTransition } from './restore-plan.ts';

export interface RecordedEffect {
  readonly changer: FileChangeMaker;
  readonly root: string;
  readonly before?: string;
  readonly after?: string;
  /** `before` with only the changes of others. Absent if the record does not separate them. */
  readonly others?: string;
  /** The tree that the restore was meant to produce. */
  readonly aim?: string;
}

/** A call that ran without the sandbox: no snapshot has its changes beyond the workspace. */
export type UnsandboxedCall = { readonly turnId: TurnId; readonly what: string };

export interface EffectList {
  /** The turns that were not taken back. */
  readonly turns: readonly TurnSummary[];
  /** Oldest first. Includes those of turns taken back, since files do not go back with the conversation. */
  readonly effects: readonly RecordedEffect[];
  /** Oldest first, of any turn. */
  readonly outside: readonly UnsandboxedCall[];
  /** The thread's newest message about restored files. Absent if there is none. */
  readonly putBack?: RestoredFiles;
}

export async function readEffects(lines: AsyncIterable<Line>): Promise<EffectList> {
  let log = noTurns;
  const effects: RecordedEffect[] = [];
  const outside: UnsandboxedCall[] = [];
  let putBack: RestoredFiles | undefined;
  for await (const line of lines) {
    log = foldTurn(log, line, messageWordsOf(line));
    outside.push(...outsideCall(line));
    if (line.type === lineType.waiting) putBack = restoredFilesIn(line.payload) ?? putBack;
    const record = readSnapshotLine(line);
    if (record === undefined) continue;
    const { changer, root, when, tree, others, aim } = record;
    if (when === 'before') effects.push({ changer, root, before: tree || undefined, aim: aim || undefined });
    const at = effects.findLastIndex((effect) => sameChanger(effect.changer, changer));
    const begun = effects[at];
    if (when === 'after' && begun !== undefined)
      effects[at] = { ...begun, after: tree || begun.after, others: others || begun.others };
  }
  return { turns: turnSummariesOf(log), effects, outside, putBack };
}

function outsideCall({ type, payload }: Line): readonly UnsandboxedCall[] {
  const turnId = stringAt(payload, 'turn_id');
  if (type !== lineType.call || payload['outside'] !== true || turnId === undefined) return [];
  const command = arrayAt(objectAt(payload, 'item'), 'command')?.at(-1);
  const what = typeof command === 'string' ? command : (stringAt(payload, 'tool') ?? '');
  return [{ turnId: turnId as TurnId, what: toOneLine(what, 200) }];
}

function sameChanger(a: FileChangeMaker, b: FileChangeMaker): boolean {
  if (a.kind === 'turn') return b.kind === 'turn' && a.turnId === b.turnId;
  return b.kind === 'restore' && a.restoreId === b.restoreId;
}

interface EffectTransition extends WorkspaceTransition {
  /** Index of its effect; absent for changes between two effects. */
  readonly effect?: number;
}

/**
 * The changes of a workspace, in order, from the first effect to its present tree. Changes between two effects are the
 * user's; those that others made during an effect come separately. After a cut-off turn, nothing tells its changes from
 * the user's later ones; after a cut-off restore, the intended tree does.
 */
export async function transitionsOf(
  effects: readonly RecordedEffect[],
  now: ContentHash,
  compare: (from: ContentHash, to: ContentHash) => Promise<SnapshotPathChanges>,
): Promise<readonly EffectTransition[]> {
  const transitions: EffectTransition[] = [];
  let at: ContentHash | undefined;
  let between: 'user' | 'unknown' = 'user';
  let cutOff: CutOffRestore | undefined;
  const reach = async (tree: ContentHash): Promise<void> => {
    if (at === undefined) return;
    const changes = await compare(at, tree);
    transitions.push(...(cutOff === undefined ? [{ by: between, changes }] : cutOffRestore(cutOff, changes)));
  };
  for (const [effect, { changer, before, after, others, aim }] of effects.entries()) {
    if (before === undefined) {
      between = 'unknown';
      continue;
    }
    await reach(before);
    if (after !== undefined) {
      if (others !== undefined) transitions.push({ by: 'others', changes: await compare(before, others), effect });
      const by = changer.kind === 'turn' && others === undefined ? 'unrecorded' : 'thread';
      transitions.push({ by, changes: await compare(others ?? before, after), effect });
    }
    at = after ?? before;
    between = after === undefined ? 'unknown' : 'user';
    cutOff = after === undefined && aim !== undefined ? { effect, planned: await compare(before, aim) } : undefined;
  }
  if (at !== undefined) await reach(now);
  return transitions;
}

type CutOffRestore = { readonly effect: number; readonly planned: SnapshotPathChanges };

/** Counts a planned path with other contents as restored and then changed by the user, so that Capstan keeps it. */
function cutOffRestore({ effect, planned }: CutOffRestore, changes: SnapshotPathChanges): readonly EffectTransition[] {
  const own = new Map<string, SnapshotPathChange>();
  const others = new Map<string, SnapshotPathChange>();
  for (const [path, change] of changes) {
    const plan = planned.get(path);
    if (plan === undefined ? isUnfinished(path, change.to, planned) : isStepOf(plan, change.to)) own.set(path, change);
    else if (plan === undefined) others.set(path, change);
    else {
      own.set(path, plan);
      others.set(path, { from: plan.to, to: change.to });
    }
  }
  return [
    { by: 'thread', changes: own, effect },
    { by: 'user', changes: others },
  ];
}

/** True if an unfinished restore can leave this: the final state, an emptied place, a folder with a temporary mode. */
function isStepOf({ from, to }: SnapshotPathChange, now: TreeNode | undefined): boolean {
  if (sameEntry(now, to)) return true;
  if (now === undefined) return from !== undefined && (from.kind === 'folder') !== (to?.kind === 'folder');
  return now.kind === 'folder' && to?.kind === 'folder' && (from?.kind !== 'folder' || now.mode === (to.mode | 0o700));
}

/** True for a temporary file that the restore has not renamed, or an unchanged file that it moved aside to remove. */
function isUnfinished(path: string, now: TreeNode | undefined, planned: SnapshotPathChanges): boolean {
  const cut = path.lastIndexOf('/') + 1;
  if (!isTemporaryName(path.slice(cut))) return false;
  return [...planned].some(
    ([each, { from, to }]) =>
      each.lastIndexOf('/') + 1 === cut &&
      each.startsWith(path.slice(0, cut)) &&
      (to !== undefined || sameEntry(now, from)),
  );
}
