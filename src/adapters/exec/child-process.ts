import type { HelperMessage, PlainCommand } from '../../ports/sandbox.ts';
import { thrownMessage } from '../../protocol/display-text.ts';
import { diskPath, errorCode, fileSystem, linkTarget, namesIn } from '../disk/file-system.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import { constants, openSync, readFileSync, statSync } from 'node:fs';

/** Why the operating system did not start the command, in a sentence. */
export function startFailure(command: Pick<PlainCommand, 'argv' | 'cwd'>, error: unknown): string {
  // The system reports a missing working folder as if the program were missing.
  const folder = folderProblem(command.cwd);
  if (folder !== undefined) return folder;
  const program = JSON.stringify(command.argv[0] ?? '');
  const known: Readonly<Record<string, string>> = {
    ENOENT: `The program ${program} was not found.`,
    EACCES: `The program ${program} is not executable.`,
    E2BIG: 'The command line and its environment are longer than the system allows.',
  };
  return known[errorCode(error) ?? ''] ?? `The command could not be started: ${thrownMessage(error)}`;
}

/** What stands where the command was to start is not the folder that was decided on. */
export function folderReplaced({ cwd }: Pick<PlainCommand, 'cwd'>): string {
  return `The working folder ${JSON.stringify(cwd)} was removed or replaced after this call was decided. Call it again when no other command changes it.`;
}

function folderProblem(cwd: string): string | undefined {
  try {
    return statSync(cwd).isDirectory() ? undefined : `The working folder ${JSON.stringify(cwd)} is not a folder.`;
  } catch (error) {
    return `The working folder ${JSON.stringify(cwd)} ${errorCode(error) === 'ENOENT' ? 'does not exist' : 'cannot be used'}.`;
  }
}

/** Where a process is started. */
export interface StartFolder {
  readonly path: string;
  /** To be called once the process has started, or could not. */
  close(): void;
}

/** Linux opens a folder without the right to list it. */
const pathOnly = 0o10000000;

/**
 * The working folder of a command. One that was decided on is held open and started in by its handle: what is put in its
 * place meanwhile does not count. Undefined: it does not stand there any more. Systems without such handles follow the path.
 */
export function openStartFolder({ cwd, decidedFolder }: Pick<PlainCommand, 'cwd' | 'decidedFolder'>) {
  const byPath: StartFolder = { path: cwd, close: () => {} };
  if (decidedFolder !== true || process.platform !== 'linux') return byPath;
  let handle: number;
  try {
    handle = fileSystem.openSync(diskPath(cwd), constants.O_DIRECTORY | pathOnly);
  } catch {
    return undefined;
  }
  const close = (): void => fileSystem.closeSync(handle);
  const path = `/proc/${process.pid}/fd/${handle}`;
  const place = placeOf(path);
  if (place === cwd || place === 'unknown') return { path: place === cwd ? path : cwd, close };
  close();
  return undefined;
}

/** Unknown where there is no `/proc`. */
function placeOf(handle: string): string {
  try {
    return linkTarget(handle);
  } catch {
    return 'unknown';
  }
}

type Standard = 'ignore' | 'pipe' | 'ipc' | number;

/**
 * Descriptors that children of this process would get without being given them, because our parent left them open. An
 * open folder among them would be a door out of every sandbox.
 */
export interface InheritedDescriptors {
  /** What a child gets as its descriptors, with something harmless in the place of every door. */
  shut(given: readonly Standard[]): Standard[];
  /** One more, until what it gives is called: a library opened it in a way that children would get it. */
  add(descriptor: number): () => void;
}

const closeOnExec = 0o2000000;

let found: InheritedDescriptors | undefined;

/** Doors of this process, listed once: Node opens no descriptor that children inherit. */
export function inheritedDescriptors(): InheritedDescriptors {
  return (found ??= findInheritedDoors());
}

/** Linux only; elsewhere it finds none. */
function findInheritedDoors(): InheritedDescriptors {
  const doors = new Set(
    namesIn('/proc/self/fdinfo')
      .map(Number)
      .filter((descriptor) => descriptor > 2 && isInherited(descriptor)),
  );
  let nothing = -1;
  return {
    shut(given) {
      // A number that was closed and is in use again may be the pipe on which the new process reports that it could not start.
      for (const door of doors) if (!isInherited(door)) doors.delete(door);
      if (doors.size > 0 && nothing < 0) nothing = openSync('/dev/null', 'r');
      const length = Math.max(given.length, ...[...doors].map((door) => door + 1));
      // Node can give a child a descriptor, and it cannot take one away. An ignored entry beyond the third stays as it is.
      const shut = Array.from({ length }, (_, index) => given[index] ?? 'ignore');
      for (const door of doors) if (door >= given.length) shut[door] = nothing;
      return shut;
    },
    add(descriptor) {
      doors.add(descriptor);
      return () => void doors.delete(descriptor);
    },
  };
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    // Closed in the meantime, as the one is with which the list was read.
    return false;
  }
}

/** One message to the child, and its answers. The channel is closed before the command runs, so that no command can speak on it. */
export function sendHandover(child: ChildProcess, { message, received }: HelperMessage): void {
  child.on('message', (index, handle: unknown) => {
    if (typeof index !== 'number') return;
    received(handle, index);
    if (index === 0 && child.connected) child.disconnect();
  });
  // A process that died already shows by its end.
  child.send(message, () => {});
}

/**
 * For what has ended. Node holds a child, a socket, a pipe that was closed until its next full collection, and by the
 * listeners all that they know: of each command that outlived two small collections 45 KB would stay.
 */
export function dropListeners(ended: EventEmitter): void {
  ended.removeAllListeners().on('error', ignore);
}

/** As soon as the stream is closed. */
export function dropListenersOnClose(stream: EventEmitter): void {
  stream.on('error', ignore).on('close', () => dropListeners(stream));
}

/** Without a listener an error would end the process. */
function ignore(): void {}

/** Starts a program of the user's own that nothing waits for. Whether it could be started. */
export function startDetached(
  argv: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): boolean {
  const [program = '', ...words] = argv;
  try {
    const stdio = inheritedDescriptors().shut(['ignore', 'ignore', 'ignore']);
    const child = spawn(program, words, { cwd, env, detached: true, stdio });
    child.on('error', () => {});
    child.unref();
    // Known at once; the event says why, and comes later.
    return child.pid !== undefined;
  } catch {
    // Arguments that no system accepts.
    return false;
  }
}
