import { signalProcess } from '../disk/processes.ts';
import type { InheritedDescriptors } from './child-process.ts';
import { systemPrograms } from './find-programs.ts';
import { wardenScript } from './leftover-processes.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** A command that the warden knows of. */
export interface GuardedCommand {
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
export function guardCommand(doors: InheritedDescriptors): GuardedCommand {
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

function startWarden(doors: InheritedDescriptors): ChildProcess {
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

/** Groups that run now. They outlive this process by nature, so they are killed when it goes. */
const running = new Set<number>();

/** Every child leads a process group of its own; the group is how its descendants are reached. */
export interface ProcessGroup {
  readonly leader: number;
  isAlive(): boolean;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** The group is no longer ours to kill: its number may be given to others. */
  release(): void;
}

export function trackProcessGroup(leader: number): ProcessGroup {
  if (running.size === 0) process.on('exit', killAll);
  running.add(leader);
  return {
    leader,
    isAlive: () => signalProcess(-leader, 0),
    signal: (name) => void signalProcess(-leader, name),
    release() {
      running.delete(leader);
      if (running.size === 0) process.off('exit', killAll);
    },
  };
}

function killAll(): void {
  for (const leader of running) signalProcess(-leader, 'SIGKILL');
}

/**
 * Sends what Control-C sends to the processes of a group. The program that holds the sandbox leads the group, and would
 * end all others at once: where the system lists processes, it is passed over.
 */
export function interruptProcessGroup(leader: number): void {
  const inside = membersOf(leader).filter(({ name }) => name !== 'bwrap');
  if (inside.length === 0) signalProcess(-leader, 'SIGINT');
  for (const { pid } of inside) signalProcess(pid, 'SIGINT');
}

interface Member {
  readonly pid: number;
  readonly name: string;
}

function membersOf(group: number): readonly Member[] {
  const pids = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.flatMap((pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The name is of any form, in parentheses; state, parent and group come right after it.
      const [open, close] = [text.indexOf('('), text.lastIndexOf(')')];
      const found = Number(text.slice(close + 2).split(' ')[2]);
      return found === group ? [{ pid: Number(pid), name: text.slice(open + 1, close) }] : [];
    } catch {
      return [];
    }
  });
}
