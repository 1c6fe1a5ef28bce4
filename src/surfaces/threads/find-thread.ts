import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type CommandEngine, loadCommandEngine } from '../commands/command-engine.ts';

/** A thread, and the engine to work with it. */
export interface FoundThread extends CommandEngine {
  readonly id: ThreadId;
}

export interface ThreadSearch {
  /** Undefined: the thread that was used last. */
  readonly thread: string | undefined;
  /** Archived threads can be named, too. */
  readonly archived?: boolean;
  /** A name that several threads have means none of them. */
  readonly unique?: boolean;
  /** Without a name: of any folder, not only of this one. */
  readonly anywhere?: boolean;
  /** Over the configuration, as `KEY=VALUE`. */
  readonly overrides?: readonly string[];
}

/** The one thread that a command is about. */
export async function findThread(search: ThreadSearch): Promise<FoundThread | Outcome> {
  const { thread: name, archived = false, unique = false, anywhere = false } = search;
  const loaded = await loadCommandEngine(search.overrides);
  if ('code' in loaded) return loaded;
  const { engine, cwd } = loaded;
  const chosen = await engine.stored.choose(
    name === undefined ? { kind: 'last', ...(anywhere ? {} : { cwd }) } : { kind: 'named', name, archived, unique },
  );
  if (chosen.kind === 'chosen') return { ...loaded, id: chosen.id };
  if (name !== undefined || anywhere) return chosen;
  // Not all of these commands can look in other folders by themselves.
  return { ...chosen, next: 'Name a thread: `capstan threads list` shows those of all folders.' };
}
