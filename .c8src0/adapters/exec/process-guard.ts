import { signalProcess, readProcessStat } from '../disk/processes.ts';
import { type GroupCommand, type StandardStream, startProcessGroup } from './child-process.ts';
import { systemPrograms } from './find-programs.ts';
import { commandMarkVariable, processIds, watchdogScript } from './leftover-processes.ts';
import type { ChildProcess } from 'node:child_process';

/**
 * Commands lead process groups of their own, so they outlive this process if it is killed. The warden is a small shell
 * against that: it is informed of each command before it starts, and kills the unfinished ones when our pipe breaks.
 * There is one per process, from the first command until our end.
 */
const words = new Set<string>();
let warden: ChildProcess | undefined;
let count = 0;

/** Call it right before the command starts, with nothing in between. */
export function superviseCommand() {
  // Unlike a process number alone, it is never reused. No mark is a prefix of another.
  const mark = `${process.pid}.${Math.floor(performance.timeOrigin)}.${++count}.`;
  let word = mark;
  warden ??= startWarden();
  words.add(word);
  tell(`+ ${word}\n`);
  return {
    mark,
    /** Throws if no system accepts the arguments, such as a NUL byte. */
    start: ({ argv, cwd, env }: GroupCommand, stdio: readonly StandardStream[]): ChildProcess =>
      startProcessGroup({ argv, cwd, env: { ...env, [commandMarkVariable]: mark } }, stdio),
    started(group: number): void {
      const before = word;
      word = `${mark}:${group}`;
      words.delete(before);
      words.add(word);
      tell(`+ ${word}\n- ${before}\n`);
    },
    /** Tells the warden to spare the command: it is over, or its leftovers may keep running. */
    ended(): void {
      if (words.delete(word)) tell(`- ${word}\n`);
    },
  };
}

/** Synchronous: the pipe is never full, because the warden only reads. */
function tell(text: string): void {
  warden?.stdin?.write(text);
}

function startWarden(): ChildProcess {
  const argv = ['/bin/sh', '-c', watchdogScript(process.platform, systemPrograms), 'capstan-warden'];
  const child = startProcessGroup({ argv, cwd: '/', env: { LC_ALL: 'C' } }, ['pipe', 'ignore', 'ignore']);
  const lost = (): void => {
    if (warden === child) warden = undefined;
  };
  // Commands also run without a warden: a sandbox dies with us by itself, and resuming a thread ends its leftovers.
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
export type ProcessGroup = ReturnType<typeof trackProcessGroup>;

export function trackProcessGroup(leader: number) {
  if (running.size === 0) process.on('exit', killAll);
  running.add(leader);
  return {
    leader,
    isAlive: (): boolean => signalProcess(-leader, 0),
    signal: (name: 'SIGTERM' | 'SIGKILL') => void signalProcess(-leader, name),
    /** After this the group is not ours to kill: its number may be reused. */
    release(): void {
      running.delete(leader);
      if (running.size === 0) process.off('exit', killAll);
    },
  };
}

function killAll(): void {
  for (const leader of running) signalProcess(-leader, 'SIGKILL');
}

/** Interrupts a group as Control-C does; on Linux all but `bwrap`, whose end would kill the others at once. */
export function interruptProcessGroup(leader: number): void {
  const inside = processIds().filter((pid) => isBeneath(leader, pid));
  for (const target of inside.length === 0 ? [-leader] : inside) signalProcess(target, 'SIGINT');
}

function isBeneath(group: number, pid: number): boolean {
  const stat = readProcessStat(pid);
  return stat?.group === String(group) && stat.name !== 'bwrap';
}
