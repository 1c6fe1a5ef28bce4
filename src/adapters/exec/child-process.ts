import type { HelperMessage, PlainCommand, RunnableCommand } from '../../ports/sandbox.ts';
import { messageOfThrown } from '../../protocol/display-text.ts';
import {
  toNodePath,
  errorCode,
  fileSystem,
  inspectEntry,
  listFolderNames,
  readSystemFile,
} from '../disk/file-system.ts';
import { O_PATH } from '../disk/folder-access.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { constants, openSync, statSync } from 'node:fs';
import { constants as systemConstants } from 'node:os';
import type { Writable } from 'node:stream';

export function describeStartFailure(command: Pick<PlainCommand, 'argv' | 'cwd'>, error: unknown): string {
  // The system reports a missing working folder as if the program were missing.
  const folder = folderProblem(command.cwd);
  if (folder !== undefined) return folder;
  const program = JSON.stringify(command.argv[0] ?? '');
  const known: Readonly<Record<string, string>> = {
    ENOENT: `The program ${program} was not found.`,
    EACCES: `The program ${program} is not executable.`,
    E2BIG: 'The command line and its environment are longer than the system allows.',
  };
  return known[errorCode(error) ?? ''] ?? `The command could not be started: ${messageOfThrown(error)}`;
}

export function replacedFolderMessage({ cwd }: Pick<PlainCommand, 'cwd'>): string {
  return `The working folder ${JSON.stringify(cwd)} was removed or replaced after this call was decided. Call it again when no other command changes it.`;
}

function folderProblem(cwd: string): string | undefined {
  try {
    return statSync(cwd).isDirectory() ? undefined : `The working folder ${JSON.stringify(cwd)} is not a folder.`;
  } catch (error) {
    return `The working folder ${JSON.stringify(cwd)} ${errorCode(error) === 'ENOENT' ? 'does not exist' : 'cannot be used'}.`;
  }
}

/**
 * Opens the working folder of a command. On Linux, Capstan holds a `decidedFolder` open and starts the command in it
 * by its handle, so that replacing the folder has no effect. Undefined if it is gone. Other systems use the path.
 */
export function openStartFolder({ cwd, decidedFolder }: Pick<PlainCommand, 'cwd' | 'decidedFolder'>) {
  if (decidedFolder !== true || process.platform !== 'linux') return { path: cwd, close: () => {} };
  let handle: number;
  try {
    handle = fileSystem.openSync(toNodePath(cwd), constants.O_DIRECTORY | O_PATH);
  } catch {
    return undefined;
  }
  const close = (): void => fileSystem.closeSync(handle);
  const path = `/proc/${process.pid}/fd/${handle}`;
  const place = inspectEntry(path);
  if (place.kind !== 'link') return { path: cwd, close };
  if (place.target === cwd) return { path, close };
  close();
  return undefined;
}

export type StandardStream = 'ignore' | 'pipe' | 'ipc' | number;
export type GroupCommand = Pick<PlainCommand, 'argv' | 'cwd' | 'env'>;

/** Starts a program that leads a process group of its own: it survives a signal to ours. */
export function startProcessGroup({ argv, cwd, env }: GroupCommand, stdio: readonly StandardStream[]): ChildProcess {
  const [program = '', ...words] = argv;
  return spawn(program, words, { cwd, env, detached: true, stdio: inheritedDescriptors().shut(stdio) });
}

const closeOnExec = 0o2000000;
let found: ReturnType<typeof findInheritedDoors> | undefined;
/** Open descriptors that children would inherit, listed once per process: Node itself never opens one. */
export const inheritedDescriptors = () => (found ??= findInheritedDoors());

/** Descriptors that our parent left open and children would inherit. An open folder is a door out of every sandbox. */
function findInheritedDoors() {
  const open = listFolderNames('/proc/self/fdinfo').map(Number);
  const doors = new Set(open.filter((descriptor) => descriptor > 2 && isInherited(descriptor)));
  let nothing = -1;
  return {
    shut(given: readonly StandardStream[]): StandardStream[] {
      // Forget closed ones: the number may now be the pipe on which the new process reports a failed start.
      for (const door of doors) if (!isInherited(door)) doors.delete(door);
      if (doors.size > 0 && nothing < 0) nothing = openSync('/dev/null', 'r');
      const length = Math.max(given.length, ...[...doors].map((door) => door + 1));
      // Node can replace a descriptor of the child but not close it: `ignore` beyond the third entry leaves it open.
      const shut = Array.from({ length }, (_, index) => given[index] ?? 'ignore');
      for (const door of doors) if (door >= given.length) shut[door] = nothing;
      return shut;
    },
    /** Adds a descriptor that a library opened as inheritable, until the returned function is called. */
    add(descriptor: number): () => void {
      doors.add(descriptor);
      return () => void doors.delete(descriptor);
    },
  };
}

/** Also false if the descriptor is closed by now, like the one with which the list was read. */
function isInherited(descriptor: number): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(readSystemFile(`/proc/self/fdinfo/${descriptor}`))?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
}

type Extras = Partial<Pick<RunnableCommand, 'files' | 'handover'>>;

/** The streams beyond the standard ones: a pipe for each file, and a channel for messages. */
export function extraStreams({ files = [], handover }: Extras): StandardStream[] {
  return [...files.map(() => 'pipe' as const), ...(handover === undefined ? [] : (['ipc'] as const))];
}

/** Writes the files into their pipes. The child may close one before it has read all of it. */
export function writeFilesToPipes(child: ChildProcess, files: RunnableCommand['files']): readonly Writable[] {
  return files.map((file, index) => {
    const stream = child.stdio[3 + index] as Writable;
    dropListenersOnClose(stream);
    stream.end(file);
    return stream;
  });
}

/** Resolves to undefined once the program has started, else to the error. */
export function startError(child: ChildProcess): Promise<Error | undefined> {
  return new Promise((resolve) => void child.once('spawn', () => resolve(undefined)).on('error', resolve));
}

/** A signal counts as 128 plus its number. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + systemConstants.signals[signal ?? 'SIGKILL'];
}

/**
 * Sends one message to the child and receives its answers. The channel closes before the command runs, so no command
 * can use it.
 */
export function sendHandover(child: ChildProcess, { message, received }: HelperMessage): void {
  child.on('message', (index, handle: unknown) => {
    if (typeof index !== 'number') return;
    received(handle, index);
    if (index === 0 && child.connected) child.disconnect();
  });
  // A dead process is noticed by its end.
  child.send(message, () => {});
}

/**
 * Node holds an ended child, socket or pipe until its next full collection, with all that its listeners refer to: 45 KB
 * for each command that outlived two small collections.
 */
export function dropListeners(ended: EventEmitter): void {
  ended.removeAllListeners().on('error', ignore);
}

export function dropListenersOnClose(stream: EventEmitter): void {
  stream.on('error', ignore).on('close', () => dropListeners(stream));
}

/** Without a listener an error would end the process. */
function ignore(): void {}

/** Starts a program of the user that nothing waits for. Returns whether it started. */
export function startDetached(argv: readonly string[], place: Pick<PlainCommand, 'cwd' | 'env'>): boolean {
  try {
    const child = startProcessGroup({ ...place, argv }, ['ignore', 'ignore', 'ignore']);
    child.on('error', () => {});
    child.unref();
    // Known at once; the event with the reason comes later.
    return child.pid !== undefined;
  } catch {
    return false;
  }
}
