import { homedir } from 'node:os';
import { version } from '../protocol/version.ts';
import { complain } from './complain.ts';
import { currentFolder } from './current-folder.ts';
import { Engine } from './engine/engine.ts';
import { outlastReaders } from './outlast-readers.ts';
import { print, printNote } from './print.ts';

const usage = `Capstan, a coding agent.

Usage:
  capstan exec [options] [PROMPT]              run one turn
  capstan exec resume THREAD_ID [PROMPT]       go on with a thread
  capstan exec fork THREAD_ID [PROMPT]         go on from a thread in a new one
  capstan config show                          what is configured, and where it comes from
  capstan threads COMMAND                      list, show, search, fork, roll back, restore files, export, …
  capstan context [THREAD]                     what fills a thread's window, and what its model was told
  capstan envelope [THREAD]                    the contract of a turn, and who decided each part of it
  capstan replay THREAD                        rebuild what the model was sent, and compare
  capstan completion bash|zsh|fish             completion for your shell
  capstan demo                                 see it work, without a model
  capstan --version

\`capstan exec --help\` lists the options of exec; so do the other commands.
`;

/** What a bare \`capstan\` does: the demo as long as nothing is configured, else a word on how to go on. */
export async function welcome(words: readonly string[]): Promise<number> {
  outlastReaders();
  const [command] = words;
  const exec = words.findIndex((word) => word === 'exec' || word === 'e');
  if (command?.startsWith('-') === true && exec > 0) return execWithRootOptions(words, exec);
  if (command === '--help' || command === '-h' || command === 'help') {
    print(usage, 'text');
    return 0;
  }
  if (command !== undefined) {
    printNote(`capstan: there is no command ${JSON.stringify(command)}.\n\n${usage.trimEnd()}`);
    return 2;
  }
  const client = { name: 'capstan', version, source: 'cli' };
  const here = currentFolder();
  if ('code' in here) return complain(here, 1);
  const engine = await Engine.load({ env: process.env, osHome: homedir(), cwd: here.path, client, overrides: [] });
  if (engine.kind === 'refused') return complain(engine.outcome, 1);
  if (!engine.isSetUp) return (await import('./demo/run-demo.ts')).runDemo([]);
  print(usage, 'text');
  return 0;
}

/** Options may stand before the command, as in `capstan -c KEY=VALUE exec …`; those behind it rank higher. */
async function execWithRootOptions(words: readonly string[], at: number): Promise<number> {
  const before = words.slice(0, at);
  // Whatever it says: exec can ask nobody.
  const isApproval = (word: string | undefined): boolean => word === '-a' || word === '--ask-for-approval';
  const options = before.filter(
    (word, i) => !isApproval(word) && !isApproval(before[i - 1]) && !/^(?:-a.|--ask-for-approval=)/.test(word),
  );
  return (await import('./exec/run-exec.ts')).runExec([...options, ...words.slice(at + 1)]);
}
