import { Fault, type Outcome } from '../protocol/outcome.ts';
import { type CommandForm, type ParsedWords, parseWords, usageOf, wrongUsage } from './command-words.ts';
import { complain } from './complain.ts';
import { outlastReaders } from './outlast-readers.ts';
import { print } from './print.ts';

/** Runs a command: help and wrong words are answered here, and so is what comes of the work. Gives the exit code. */
export async function runCommand(
  form: CommandForm,
  words: readonly string[],
  work: (asked: ParsedWords) => Promise<number | Outcome>,
): Promise<number> {
  const standardOutput = outlastReaders();
  const asked = parseWords(form, words);
  if ('code' in asked) return complain(asked, 2);
  if (asked.flags.has('help')) {
    print(usageOf(form), 'text');
    return 0;
  }
  const end = await unlessLost(() => work(asked));
  const lost = await standardOutput.finish();
  if (typeof end !== 'number') return complain(end, end.code === 'usage' ? 2 : 1);
  return lost === undefined ? end : complain(lost, 1);
}

/** The one thread that is meant, by what was typed; undefined for the one of this folder that was used last. */
export function threadNamed(form: CommandForm, asked: ParsedWords): { readonly name?: string } | Outcome<'usage'> {
  const [name, ...more] = asked.positional;
  const last = asked.flags.has('last');
  if (more.length > 0 || (last && name !== undefined)) return wrongUsage(form, 'name one thread.');
  if (name === undefined && !last) return wrongUsage(form, 'which thread? Name one, or use --last.');
  return name === undefined ? {} : { name };
}

export const lastOption = {
  key: 'last',
  names: ['--last'],
  help: 'the thread of this folder that was used last',
} as const;

async function unlessLost(work: () => Promise<number | Outcome>): Promise<number | Outcome> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
