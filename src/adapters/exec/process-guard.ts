import { signalProcess } from '../disk/processes.ts';
import type { InheritedDescriptors } from './child-process.ts';
import { systemPrograms } from './find-programs.ts';
import { processIds, wardenScript } from './leftover-processes.ts';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Commands lead process groups of their own, so they outlive this process if it is killed. The warden is a small shell
 * against that: it is informed of each command before it starts, and kills the unfinished ones when our pipe breaks.
 * There is one per process, from the first command until our end.
 */
const words = new Set<string>();
let warden: ChildProcess | undefined;
let count = 0;

/** Call it right before the command starts, with nothing in between. */
export function guardCommand(doors: InheritedDescriptors) {
  // Unlike a process number alone, it is never reused. No mark is a prefix of another.
  const mark = `${process.pid}.${Math.floor(performance.timeOrigin)}.${++count}.`;
  let word = mark;
  warden ??= startWarden(doors);
  words.add(word);
  tell(`+ ${word}\n`);
  return {
    mark,
    started(group: number): void {
      const before = word;
      word = `${mark}:${group}`;
      words.delete(before);
      words.add(word);
      tell(`+ ${word}\n- ${before}\n`);
    },
    /** Reports that the command is over, or that its leftovers may keep running. */
    ended(): void {
      if (words.delete(word)) tell(`- ${word}\n`);
    },
  };
}

/** Synchronous: the pipe is never full, because the warden only reads. */
function tell(text: string): void {
  warden?.stdin?.write(text);
}

function startWarden(doors: InheritedDescriptors): ChildProcess {
  const child = spawn('/bin/sh', ['-c', wardenScript(process.platform, systemPrograms), 'capstan-warden'], {
    cwd: '/',
    env: { LC_ALL: 'C' },
    // It must survive a signal to our group.
    detached: true,
    stdio: doors.shut(['pipe', 'ignore', 'ignore']),
  });
  const lost = (): void => {
    if (warden === child) warden = undefined;
  };
  // Commands run without a warden, too: a sandbox dies with us by itself, and resuming ends the leftovers.
  child.on('error', lost);
  child.on('exit', lost);
  child.stdin?.on('error', lost);
  child.unref();
  (child.stdin as unknown as { unref(): void } | null)?.unref();
  for (const word of words) child.stdin?.write(`+ ${word}\n`);
  return child;
}

/** Running groups. They outlive this process by nature, so they are killed when it exits. */
const running = new Set<number>();

export interface ProcessGroup {
  readonly leader: number;
  isAlive(): boolean;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** After this the group is not ours to kill: its number may be reused. */
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

/** Signals a group as Control-C does. `bwrap` is skipped where it can be told: it would end all others at once. */
export function interruptProcessGroup(leader: number): void {
  const inside = processIds().filter((pid) => isBeneath(leader, pid));
  for (const target of inside.length === 0 ? [-leader] : inside) signalProcess(target, 'SIGINT');
}

function isBeneath(group: number, pid: number): boolean {
  try {
    // The name is arbitrary, in parentheses; state, parent and group follow it.
    const [, name, found] = /^\d+ \((.*)\) \S \d+ (\d+) /s.exec(readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? [];
    return Number(found) === group && name !== 'bwrap';
  } catch {
    return false;
  }
}
