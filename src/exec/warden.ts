import { type ChildProcess, spawn } from 'node:child_process';
import type { InheritedDoors } from './processes/inherited-descriptors.ts';
import { systemPrograms } from './processes/programs.ts';
import { wardenScript } from './warden-script.ts';

/** A command that the warden knows of. */
export interface Guarded {
  /** The value of the variable that the command and all that it starts carry. */
  readonly mark: string;
  /** The command runs and leads this process group. */
  started(group: number): void;
  /** It is over, or what is left of it may run on by itself. */
  ended(): void;
}

/**
 * Commands lead process groups of their own, so a process that is killed leaves them running. The warden is a small
 * shell that waits for that: it hears about each command before it starts, and when the pipe from us breaks, it kills
 * those that are not over. One for the whole process, started with the first command; it ends when we do.
 */
const words = new Set<string>();
let warden: ChildProcess | undefined;
let count = 0;

/** To be called right before the command is started: nothing may come in between. */
export function guard(doors: InheritedDoors): Guarded {
  // Unlike the number of a process alone, this is not given to another one later. No mark is the beginning of another.
  const mark = `${process.pid}.${Math.floor(performance.timeOrigin)}.${++count}.`;
  let word = mark;
  warden ??= startWarden(doors);
  words.add(word);
  tell(`+ ${word}\n`);
  return {
    mark,
    started(group) {
      const before = word;
      word = `${mark}:${group}`;
      words.delete(before);
      words.add(word);
      tell(`+ ${word}\n- ${before}\n`);
    },
    ended() {
      if (words.delete(word)) tell(`- ${word}\n`);
    },
  };
}

/** Written at once: the pipe is never full, because the warden only reads. */
function tell(text: string): void {
  warden?.stdin?.write(text);
}

function startWarden(doors: InheritedDoors): ChildProcess {
  const child = spawn('/bin/sh', ['-c', wardenScript(process.platform, systemPrograms), 'capstan-warden'], {
    cwd: '/',
    env: { LC_ALL: 'C' },
    // It must outlive a signal to the group that we are in.
    detached: true,
    stdio: doors.shut(['pipe', 'ignore', 'ignore']),
  });
  const lost = (): void => {
    if (warden === child) warden = undefined;
  };
  // Without a warden commands still run: a sandbox dies with us by itself, and resuming ends what is left.
  child.on('error', lost);
  child.on('exit', lost);
  child.stdin?.on('error', lost);
  child.unref();
  (child.stdin as unknown as { unref(): void } | null)?.unref();
  for (const word of words) child.stdin?.write(`+ ${word}\n`);
  return child;
}
