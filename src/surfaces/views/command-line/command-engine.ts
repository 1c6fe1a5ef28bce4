import { Engine } from '../../../engine/engine.ts';
import type { TakenBackRequests } from '../../../engine/store/stored-thread-details.ts';
import { StoredThreads, type ThreadLines } from '../../../engine/store/stored-threads.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { version } from '../../../protocol/version.ts';
import { currentFolder, currentFolderAndUser, diskLossAsOutcome } from '../terminal/process.ts';
import { withProgress } from '../terminal/progress.ts';
import type { Command, CommandArguments } from './command.ts';
import { commandLineOverrides } from './load-engine.ts';
import { homedir } from 'node:os';

export interface ReadOnlyThread extends ThreadLines {
  readonly id: ThreadId;
  /** Requests that the thread does not show any more. */
  takenBack(): Promise<TakenBackRequests>;
}

/** The thread that the user names, else the newest of the folder. Takes no lock: its writer is not disturbed. */
export async function loadThread(name: string | undefined): Promise<ReadOnlyThread | Outcome> {
  const stored = StoredThreads.in(process.env, homedir());
  if ('code' in stored) return stored;
  const folder = currentFolder();
  if (name === undefined && 'code' in folder) return folder;
  const isLast = name === undefined && 'path' in folder;
  const chosen = await stored.choose(isLast ? { kind: 'last', cwd: folder.path } : { kind: 'named', name: name ?? '' });
  if (chosen.kind === 'none') return { ...chosen, next: advice(chosen, name) };
  return diskLossAsOutcome(async () => {
    const read = await withProgress({ label: 'Reading lines' }, (report) => stored.read(chosen.id, report));
    return { id: chosen.id, ...read, takenBack: () => stored.takenBack(chosen.id) };
  });
}

const advice = ({ code, next }: Outcome, name: string | undefined): string =>
  code === 'thread-unknown' && name === undefined
    ? 'Name a thread, as `capstan threads list` shows them, or start one: `capstan exec --help` says how.'
    : next;

type End = number | Outcome;
type Work<Form extends Command, Loaded> = (given: CommandArguments<Form>, loaded: Loaded) => End | Promise<End>;

/** Wraps the work of a command: first loads the engine of this folder. */
export const withEngine =
  <Form extends Command>(work: Work<Form, CommandEngine>) =>
  async (given: CommandArguments<Form>): Promise<number | Outcome> => {
    const loaded = await loadCommandEngine();
    return 'code' in loaded ? loaded : work(given, loaded);
  };

/** Wraps the work of a command: first loads the lines of a thread. */
export const withReadOnlyThread =
  <Form extends Command>(work: Work<Form, ReadOnlyThread>) =>
  async (given: CommandArguments<Form>): Promise<number | Outcome> => {
    const thread = await loadThread(given.thread);
    return 'code' in thread ? thread : work(given, thread);
  };

export type CommandEngine = { readonly engine: Engine; readonly cwd: string };

export async function loadCommandEngine(
  config: readonly string[] = [],
  choices: { readonly profile?: string; readonly sandboxFallback?: 'landlock' } = {},
): Promise<CommandEngine | Outcome> {
  const here = currentFolderAndUser();
  if ('code' in here) return here;
  const client = { name: 'capstan', version, source: 'cli' };
  const engine = await Engine.load({ ...here, client, config: commandLineOverrides(config), ...choices });
  return engine.kind === 'refused' ? engine.outcome : { engine, cwd: here.cwd };
}
