import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandForm, ParsedWords } from '../command-words.ts';
import type { Engine } from '../engine/engine.ts';
import { threadNamed } from '../run-command.ts';
import { loadLookingEngine } from './looking-engine.ts';

export interface MeantThread {
  readonly kind: 'meant';
  readonly engine: Engine;
  readonly id: ThreadId;
}

export interface ThreadWords {
  /** Absent: the thread that was used last. */
  readonly name?: string;
  /** Archived threads can be named, too. */
  readonly archived: boolean;
  /** A name that several threads have means none of them. */
  readonly unique?: boolean;
  /** Without a name: of this folder or of any. */
  readonly last: 'here' | 'anywhere';
  /** Values over those of config.toml, as they were typed. */
  readonly overrides?: readonly string[];
}

/** The one thread that a command's words name, and the engine to work with it. */
export async function meantThread(
  form: CommandForm,
  asked: ParsedWords,
  { archived = false, overrides = [] }: Partial<Pick<ThreadWords, 'archived' | 'overrides'>> = {},
): Promise<MeantThread | Outcome> {
  const named = threadNamed(form, asked);
  return 'code' in named ? named : chooseMeant({ ...named, archived, overrides, last: 'here' });
}

export async function chooseMeant({
  name,
  archived,
  unique = false,
  last,
  overrides = [],
}: ThreadWords): Promise<MeantThread | Outcome> {
  const looking = await loadLookingEngine(overrides);
  if ('code' in looking) return looking;
  const { engine, cwd } = looking;
  const chosen = await engine.choose(
    name === undefined
      ? { kind: 'last', ...(last === 'here' ? { cwd } : {}) }
      : { kind: 'named', name, archived, unique },
  );
  if (chosen.kind === 'chosen') return { kind: 'meant', engine, id: chosen.id };
  if (name !== undefined || last === 'anywhere') return chosen;
  // Not all of these commands can look in other folders by themselves.
  return { ...chosen, next: 'Name it: `capstan threads list` shows those of all folders.' };
}
