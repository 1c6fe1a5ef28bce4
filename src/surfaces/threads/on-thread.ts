import { Fault, type Outcome } from '../../protocol/outcome.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import {
  type CommandForm,
  type CommandOption,
  parseWords,
  type ParsedWords,
  usageOf,
  wrongUsage,
} from '../command-words.ts';
import { complain } from '../complain.ts';
import type { Engine } from '../engine/engine.ts';
import type { EngineRefused } from '../engine/engine-refused.ts';
import { outlastReaders } from '../outlast-readers.ts';
import { print } from '../print.ts';
import { chooseMeant } from './meant-thread.ts';

/** A command that does one thing to one thread. */
export interface OnThread<Result extends { readonly notices: readonly Outcome[] }> {
  readonly form: CommandForm;
  /** Archived threads can be named, too. */
  readonly archived: boolean;
  /** It cannot be undone: a name that several threads have means none of them. */
  readonly unique?: boolean;
  /** How many words may follow the thread. */
  readonly more: number;
  run(engine: Engine, id: ThreadId, words: ParsedWords): Promise<Result | EngineRefused | Outcome<'usage'>>;
  /** What was done, in sentences. */
  text(result: Result): string;
  /** Whether all of it could be done. Without it, what was not refused was. */
  isWhole?(result: Result): boolean;
}

/** Options that every such command has. */
export const threadOptions: readonly CommandOption[] = [
  { key: 'last', names: ['--last'], help: 'the thread of this folder that was used last' },
  { key: 'all', names: ['--all'], help: 'with --last: of any folder' },
  { key: 'json', names: ['--json'], help: 'print the result as JSON' },
];

/** 0: done; 1: refused, or a part of it failed; 2: wrong usage. */
export async function onThread<Result extends { readonly notices: readonly Outcome[] }>(
  command: OnThread<Result>,
  words: readonly string[],
): Promise<number> {
  const output = outlastReaders();
  const code = await answer(command, words);
  const lost = await output.finish();
  return lost === undefined ? code : complain(lost, 1);
}

async function answer<Result extends { readonly notices: readonly Outcome[] }>(
  command: OnThread<Result>,
  words: readonly string[],
): Promise<number> {
  const asked = parseWords(command.form, words);
  if ('code' in asked) return complain(asked, 2);
  if (asked.flags.has('help')) {
    print(usageOf(command.form), 'text');
    return 0;
  }
  const isLast = asked.flags.has('last');
  const [name, ...rest] = isLast ? ['', ...asked.positional] : asked.positional;
  if (name === undefined)
    return complain(wrongUsage(command.form, `which thread? Give ${waysToName(command.form)}.`), 2);
  if (rest.length > command.more) return complain(wrongUsage(command.form, `${rest.at(-1)} is one word too many.`), 2);
  try {
    const result = await perform(command, { ...asked, positional: rest }, isLast ? undefined : name);
    if ('code' in result) return complain(result, 2);
    return tell(command, result, asked.flags.has('json'));
  } catch (error) {
    // A lost disk is no bug: it gets its words like any other end.
    if (!(error instanceof Fault)) throw error;
    return tell(command, { kind: 'refused', outcome: error }, asked.flags.has('json'));
  }
}

function waysToName({ options }: CommandForm): string {
  return options.some(({ key }) => key === 'last') ? 'its id, its name or --last' : 'its id or its name';
}

async function perform<Result extends { readonly notices: readonly Outcome[] }>(
  { archived, unique = false, run }: OnThread<Result>,
  words: ParsedWords,
  name: string | undefined,
): Promise<Result | EngineRefused | Outcome<'usage'>> {
  const last = words.flags.has('all') ? 'anywhere' : 'here';
  const meant = await chooseMeant({ ...(name === undefined ? {} : { name }), archived, unique, last });
  return 'code' in meant ? { kind: 'refused', outcome: meant } : run(meant.engine, meant.id, words);
}

function tell<Result extends { readonly notices: readonly Outcome[] }>(
  { text, isWhole = () => true }: OnThread<Result>,
  result: Result | EngineRefused,
  json: boolean,
): number {
  if ('outcome' in result) {
    const { code, message, next } = result.outcome;
    if (!json) return complain(result.outcome, 1);
    print(`${JSON.stringify({ kind: 'refused', code, message, next })}\n`, 'json');
    return 1;
  }
  if (json) print(`${JSON.stringify(result)}\n`, 'json');
  else print(`${text(result)}\n`, 'text');
  if (!json) for (const notice of result.notices) complain(notice, 0);
  return isWhole(result) ? 0 : 1;
}
