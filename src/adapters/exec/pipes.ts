import { makeOwnFolder } from '../disk/own-files.ts';
import { signalProcess, removeFoldersOfDeadProcesses } from '../disk/processes.ts';
import { dropListeners } from './child-process.ts';
import { systemPrograms } from './find-programs.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const patienceMs = 5000;

/**
 * Makes nameless pipes on Linux: no command can swap them, and a killed process leaves none behind. Node cannot make a
 * pipe, but a shell makes one for every `|`. Its processes hold the pipes until we have opened them through `/proc`.
 * Then they must end, or the output of a command would not end.
 */
export async function makeAnonymousPipes(count: number): Promise<readonly PipeEnds[]> {
  const child = spawn('/bin/sh', ['-c', holderScript(count)], {
    cwd: '/',
    env: {},
    // An interrupt at the terminal is for us, not for the shell.
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<unknown>((resolve) => void child.on('error', resolve).on('exit', resolve));
  const timer = setTimeout(() => child.pid && signalProcess(-child.pid, 'SIGKILL'), patienceMs);
  const tidy = (): void => {
    clearTimeout(timer);
    for (const each of [child, child.stdin, child.stdout]) if (each !== null) dropListeners(each);
  };
  void ended.then(tidy);
  try {
    const holders = await Promise.race([holdersIn(child, count), ended.then(() => undefined)]);
    if (holders === undefined) throw new Error('The shell that makes pipes ended too early.');
    // Reopening our own descriptor cannot lead to another pipe, whatever became of the holder.
    const toWrite = (readEnd: number): string => `/proc/self/fd/${readEnd}`;
    return openAll(holders.map((holder) => () => openBothEnds({ toRead: `/proc/${holder}/fd/5`, toWrite }, 0)));
  } finally {
    child.stdin?.end();
  }
}

/** Every part after the first keeps its pipe open, reports its number, and waits for the end of our input. */
function holderScript(count: number): string {
  return `exec 3<&0 4>&1
hold() { exec 5<&0; read -r process rest </proc/self/stat; echo "$process" >&4; read -r rest <&3; }
:${' | hold'.repeat(count)}`;
}

function holdersIn(child: ChildProcess, count: number): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.on('error', reject);
    child.stdin?.on('error', () => {});
    child.stdout?.setEncoding('latin1').on('data', (more: string) => {
      text += more;
      const holders = text.split('\n').slice(0, -1);
      if (holders.length < count) return;
      if (holders.every((holder) => /^\d+$/.test(holder))) resolve(holders);
      else reject(new Error('The shell does not say which processes hold the pipes.'));
    });
  });
}

/** Both ends of a pipe; no other process has these descriptors. */
export type PipeEnds = { readonly readEnd: number; readonly writeEnd: number };
type PipePaths = { readonly toRead: string; toWrite(readEnd: number): string };

/**
 * Opens the reader first and non-blocking, so that neither call blocks. Opens the writer without that flag, because
 * children share it. `toWrite` returns the writer's path once the reader is open. Throws unless both ends are the same
 * pipe of this user: another program may have swapped a name, and output of a command must never reach a file.
 */
export function openBothEnds({ toRead, toWrite }: PipePaths, flags: number): PipeEnds {
  const readEnd = openSync(toRead, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  let writeEnd: number | undefined;
  try {
    const pipe = requirePipe(readEnd);
    writeEnd = openSync(toWrite(readEnd), constants.O_WRONLY | flags);
    const other = requirePipe(writeEnd);
    if (pipe.dev !== other.dev || pipe.ino !== other.ino) throw new Error('The ends belong to two pipes.');
    return { readEnd, writeEnd };
  } catch (error) {
    closeSync(readEnd);
    if (writeEnd !== undefined) closeSync(writeEnd);
    throw error;
  }
}

function requirePipe(descriptor: number): { readonly dev: bigint; readonly ino: bigint } {
  const found = fstatSync(descriptor, { bigint: true });
  if (!found.isFIFO() || found.uid !== BigInt(process.getuid?.() ?? -1)) throw new Error('This is no pipe of ours.');
  return found;
}

/** All or none: if one cannot be opened, those before it are closed. */
function openAll(pipes: readonly (() => PipeEnds)[]): readonly PipeEnds[] {
  const opened: PipeEnds[] = [];
  try {
    for (const open of pipes) opened.push(open());
    return opened;
  } catch (error) {
    for (const { readEnd, writeEnd } of opened) {
      closeSync(readEnd);
      closeSync(writeEnd);
    }
    throw error;
  }
}

const prefix = 'pipes-';

/**
 * Pipes for systems that open them only by name. `mkfifo` makes them in a folder that no command may write, and the
 * names are removed once both ends are open. A process killed in between leaves a folder, which the next one removes.
 */
export async function makeNamedPipes(runFolder: string, count: number): Promise<readonly PipeEnds[]> {
  if (!makeOwnFolder(runFolder, 'readable')) throw new Error(`${runFolder} is open to others.`);
  removeFoldersOfDeadProcesses(runFolder, prefix);
  const folder = mkdtempSync(join(runFolder, `${prefix}${process.pid}-`));
  const names = Array.from({ length: count }, (_, index) => join(folder, String(index)));
  const making = runMkfifo(names);
  const remove = (): void => {
    // A running `mkfifo` would put pipes into a folder that is being removed.
    making.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 5 });
  };
  // The process may exit while the next batch is made.
  process.once('exit', remove);
  try {
    await making.done;
    return openAll(names.map((name) => () => openNamed(name)));
  } finally {
    process.off('exit', remove);
    remove();
  }
}

function openNamed(name: string): PipeEnds {
  const ends = openBothEnds({ toRead: name, toWrite: () => name }, constants.O_NOFOLLOW);
  unlinkSync(name);
  return ends;
}

function runMkfifo(names: readonly string[]): { readonly child: ChildProcess; readonly done: Promise<void> } {
  const program = systemPrograms.find('mkfifo');
  if (program === undefined) throw new Error('There is no mkfifo.');
  const child = spawn(program, ['-m', '600', ...names], { stdio: 'ignore', env: {}, cwd: '/' });
  const done = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with ${code}`))));
  });
  return { child, done };
}
