import { homedir } from 'node:os';
import type { ThreadId } from '../protocol/ids.ts';
import { Fault, type Outcome } from '../protocol/outcome.ts';
import { version } from '../protocol/version.ts';
import {
  type CommandForm,
  type CommandOption,
  type ParsedWords,
  parseWords,
  usageOf,
  wrongUsage,
} from './command-words.ts';
import { complain } from './complain.ts';
import { currentFolder } from './current-folder.ts';
import { Engine } from './engine.ts';
import { outlastReaders } from './outlast-readers.ts';

/** What a command about one thread works with. */
export interface ThreadCommandInput {
  readonly engine: Engine;
  readonly id: ThreadId;
  readonly asked: ParsedWords;
  /** The folder that the command was started in. */
  readonly cwd: string;
}

/** Every command about one thread takes these. */
export const threadOptions: readonly CommandOption[] = [
  { key: 'last', names: ['--last'], help: 'the thread of this folder that was used last' },
  { key: 'all', names: ['--all'], help: 'with --last: of any folder' },
];

/** Runs a command about one thread: finds the thread, and says why not when something is in the way. */
export async function runThreadCommand(
  form: CommandForm,
  words: readonly string[],
  work: (input: ThreadCommandInput) => Promise<number | Outcome>,
): Promise<number> {
  const standardOutput = outlastReaders();
  const asked = parseWords(form, words);
  if ('code' in asked) return complain(asked, 2);
  if (asked.flags.has('help')) {
    process.stdout.write(usageOf(form));
    return 0;
  }
  const input = await prepare(form, asked);
  if ('code' in input) return complain(input, input.code === 'usage' ? 2 : 1);
  const end = await workUnlessLost(() => work(input));
  const lost = await standardOutput.finish();
  if (typeof end !== 'number') return complain(end, end.code === 'usage' ? 2 : 1);
  return lost === undefined ? end : complain(lost, 1);
}

async function workUnlessLost(work: () => Promise<number | Outcome>): Promise<number | Outcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) return { code: error.code, message: error.message, next: error.next };
    throw error;
  }
}

async function prepare(form: CommandForm, asked: ParsedWords): Promise<ThreadCommandInput | Outcome> {
  const [name, ...more] = asked.positional;
  const last = asked.flags.has('last');
  if (more.length > 0 || (last && name !== undefined)) return wrongUsage(form, 'name one thread.');
  if (name === undefined && !last) return wrongUsage(form, 'which thread?');
  const here = currentFolder();
  if ('code' in here) return here;
  const cwd = here.path;
  const client = { name: 'capstan', version, source: 'cli' };
  const engine = await Engine.load({ env: process.env, osHome: homedir(), cwd, client, overrides: [] });
  if (engine.kind === 'refused') return engine.outcome;
  const chosen = await engine.choose(
    name === undefined ? { kind: 'last', ...(asked.flags.has('all') ? {} : { cwd }) } : { kind: 'named', name },
  );
  return chosen.kind === 'none' ? chosen : { engine, id: chosen.id, asked, cwd };
}
