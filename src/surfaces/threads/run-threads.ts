import type { CommandForm } from '../command-words.ts';
import { complain } from '../complain.ts';
import { print } from '../print.ts';

/** What a file of this folder exports for its command. */
export interface ThreadsCommand {
  /** For completion: the command itself reads its words by it. */
  readonly form: CommandForm;
  /** Runs with the words after the command's name; gives the exit code. */
  run(words: readonly string[]): Promise<number>;
}

interface Row {
  readonly summary: string;
  readonly load: () => Promise<ThreadsCommand>;
}

/** One row per command, one file per command: each is loaded when it is asked for. */
const commands: Readonly<Record<string, Row>> = {
  list: { summary: 'list threads, newest first', load: () => import('./list.ts') },
  show: { summary: 'show one with its turns', load: () => import('./show.ts') },
  search: { summary: 'find those in which something was said', load: () => import('./search.ts') },
  reindex: { summary: 'read all of them again for lists and searches', load: () => import('./reindex.ts') },
  fork: { summary: 'begin a thread that goes on from another', load: () => import('./fork.ts') },
  rollback: { summary: 'take the newest turns back', load: () => import('./rollback.ts') },
  'undo-rollback': { summary: 'bring them back', load: () => import('./undo-rollback.ts') },
  archive: { summary: 'put a thread away', load: () => import('./archive.ts') },
  unarchive: { summary: 'bring it back', load: () => import('./unarchive.ts') },
  delete: { summary: 'delete a thread for good', load: () => import('./delete.ts') },
  name: { summary: 'give a thread a name', load: () => import('./name.ts') },
  export: { summary: 'write it as one file: JSONL, Markdown or HTML', load: () => import('./export.ts') },
  import: { summary: 'take over a thread that was exported as JSONL', load: () => import('./import.ts') },
  set: { summary: 'change what its turns start from', load: () => import('./set.ts') },
  compact: { summary: 'make a checkpoint of its history now', load: () => import('./compact.ts') },
  pin: { summary: 'pin a note that no checkpoint forgets', load: () => import('./pin.ts') },
  pins: { summary: 'show the pinned notes', load: () => import('./pins.ts') },
  unpin: { summary: 'take a pinned note away', load: () => import('./unpin.ts') },
  files: { summary: 'what each turn changed in the workspace', load: () => import('./files.ts') },
  restore: { summary: 'bring files back as they were before a turn', load: () => import('./restore.ts') },
  compress: { summary: 'pack the files of threads', load: () => import('./compress.ts') },
  gc: { summary: 'remove what no thread refers to', load: () => import('./gc.ts') },
};

/** What every command takes, by its name. */
export async function threadsForms(): Promise<ReadonlyMap<string, CommandForm>> {
  const rows = Object.entries(commands).map(async ([name, { load }]) => [name, (await load()).form] as const);
  return new Map(await Promise.all(rows));
}

/** `capstan threads COMMAND …` */
export async function runThreads(words: readonly string[]): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined || name === '-h' || name === '--help') {
    print(threadsUsage(), 'text');
    return name === undefined ? 2 : 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return (await command.load()).run(rest);
  const message = `threads: there is no command ${JSON.stringify(name)}.`;
  return complain({ message, next: 'See `capstan threads --help`.' }, 2);
}

export function threadsUsage(): string {
  const width = Math.max(0, ...Object.keys(commands).map((name) => name.length));
  const rows = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'Works with threads. THREAD is an id, the beginning of one, a name, or --last.\n',
    'Usage:',
    '  capstan threads COMMAND …\n',
    'Commands:',
    ...rows,
    '',
    '`capstan threads COMMAND --help` says more.',
    '',
  ].join('\n');
}
