import { defined } from '../protocol/defined.ts';
import type { FilesPutBack } from '../protocol/files-put-back.ts';
import type { TurnId } from '../protocol/ids.ts';
import type { EffectList } from './effects.ts';
import { filesAmong } from '../protocol/files-among.ts';

/** A line names no more of them. */
const mostNamed = 5000;

/** Paths are below the root. */
interface WentBack {
  readonly root: string;
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
}

/** What a thread is to know of files that went back, its own and those of its agents. Undefined: none did. */
export function toldRestore(
  { turns, putBack: last }: Pick<EffectList, 'turns' | 'putBack'>,
  /** Absent: to before the last time that files went back. */
  { beforeTurn }: { readonly beforeTurn?: TurnId },
  reports: readonly WentBack[],
): FilesPutBack | undefined {
  const paths = (of: 'restored' | 'deleted'): readonly string[] => [
    ...new Set(reports.flatMap((report) => report[of].map((path) => `${report.root}/${path}`))),
  ];
  const [back, gone] = [paths('restored'), paths('deleted')];
  const all = [...back, ...gone];
  const [restored, deleted] = [filesAmong(back, all), filesAmong(gone, all)];
  const count = restored.length + deleted.length;
  if (count === 0) return undefined;
  const named = { restored: restored.slice(0, mostNamed), deleted: deleted.slice(0, mostNamed) };
  const more = count - named.restored.length - named.deleted.length || undefined;
  // An undo of an undo puts files back once more.
  const isUndone = (beforeTurn === undefined && last?.isUndone !== true) || undefined;
  const turnId = beforeTurn ?? last?.before?.turnId;
  return { ...named, ...defined({ before: turnBefore(turns, turnId), isUndone, more }) };
}

function turnBefore(turns: EffectList['turns'], turnId: TurnId | undefined): FilesPutBack['before'] {
  const turn = turns.find(({ id }) => id === turnId);
  return turn && { turnId: turn.id, number: turn.number, words: turn.firstWords.slice(0, 200) };
}
