import { closeSync, openSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { commandTable } from '../../src/surfaces/cli/table/command-table.ts';
import { findCommand } from '../../src/surfaces/views/command-line/command-group.ts';
import { runCommandLine } from '../../src/surfaces/cli/run-command-line.ts';
import { eventsIn, type Finished, type Place, type StartOptions } from './run-capstan.ts';

// Commands read the standard input of this process. As with `Place.run`, there is nothing to read.
if (isMainThread) {
  closeSync(0);
  openSync('/dev/null', 'r');
}

/** They start programs that have this terminal, or go by the signals that they get. */
const alone = ['demo', 'sandbox'];

export interface InsideOptions extends Pick<StartOptions, 'env' | 'cwd'> {
  /** Standard output and standard error are a terminal, as far as the command can see. */
  readonly terminal?: boolean;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

let before: Promise<unknown> = Promise.resolve();
let running = 0;

/** A command that is under way has the process to itself: another one beside it needs its own. */
export function canRunInside([command = '']: readonly string[]): boolean {
  return running === 0 && !alone.includes(command) && !('next' in findCommand(commandTable, command));
}

/**
 * Does in this process what `place.run` does: the same surface with the same words, without the start of a program.
 * Commands run one after the other, because each has the process, its folder and its environment to itself.
 */
export function runInside(
  place: Pick<Place, 'home' | 'workspace'>,
  words: readonly string[],
  options: InsideOptions = {},
): Promise<Finished> {
  running++;
  const run = before.then(() => perform(place, words, options)).finally(() => running--);
  before = run.catch(() => {});
  return run;
}

async function perform(
  place: Pick<Place, 'home' | 'workspace'>,
  words: readonly string[],
  { env = {}, cwd = place.workspace, terminal = false }: InsideOptions,
): Promise<Finished> {
  const [folder, outer] = [process.cwd(), { ...process.env }];
  const [stdout, stderr] = [catchOutput(process.stdout, terminal), catchOutput(process.stderr, terminal)];
  Object.assign(process.env, { CAPSTAN_HOME: place.home, ...env });
  process.chdir(cwd);
  const listeners = signals.map((name) => process.listeners(name));
  try {
    const code = await runCommandLine(words);
    const text = stdout.end();
    return { code, signal: null, stdout: text, stderr: stderr.end(), events: eventsIn(text) };
  } finally {
    stdout.end();
    stderr.end();
    process.chdir(folder);
    // A command whose thread cannot be closed leaves its listeners to the end of the process.
    for (const [at, name] of signals.entries()) {
      for (const each of process.listeners(name)) if (!listeners[at]!.includes(each)) process.off(name, each);
    }
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(outer, name)) delete process.env[name];
    Object.assign(process.env, outer);
  }
}

/** Catches what is written to a stream of this process, and gives it back as it was. */
function catchOutput(stream: NodeJS.WriteStream, terminal: boolean): { end(): string } {
  const own = Object.getOwnPropertyDescriptor(stream, 'write');
  const isTerminal = Object.getOwnPropertyDescriptor(stream, 'isTTY');
  const number = Object.getOwnPropertyDescriptor(stream, 'fd');
  const listeners = stream.listeners('error');
  const pieces: Buffer[] = [];
  const write = (piece: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    pieces.push(Buffer.from(piece as string));
    const done = rest.findLast((each): each is () => void => typeof each === 'function');
    if (done !== undefined) setImmediate(done);
    return true;
  };
  Object.defineProperty(stream, 'write', { value: write, configurable: true, writable: true });
  Object.defineProperty(stream, 'isTTY', { value: terminal, configurable: true, writable: true });
  // The descriptors of this process say nothing about the command.
  Object.defineProperty(stream, 'fd', { value: -1, configurable: true, writable: true });
  let isOpen = true;
  return {
    end() {
      if (isOpen) {
        isOpen = false;
        restore(stream, 'write', own);
        restore(stream, 'isTTY', isTerminal);
        restore(stream, 'fd', number);
        for (const each of stream.listeners('error'))
          if (!listeners.includes(each)) stream.off('error', each as () => void);
      }
      return Buffer.concat(pieces).toString('utf8');
    },
  };
}

function restore(
  stream: NodeJS.WriteStream,
  name: 'write' | 'isTTY' | 'fd',
  own: PropertyDescriptor | undefined,
): void {
  if (own === undefined) Reflect.deleteProperty(stream, name);
  else Object.defineProperty(stream, name, own);
}
