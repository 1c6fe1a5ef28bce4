import { type ChildProcess, spawn } from 'node:child_process';
import { inheritedDoors } from './processes/inherited-descriptors.ts';

export interface Feeding {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** A program that has not ended after this time has not taken the text, and is ended. */
  readonly timeoutMs: number;
}

/** How long a program that was asked to end may tidy up. */
const graceMs = 300;

/**
 * Gives a text to a program of the user's own, and whether the program took it. What the program leaves running keeps
 * running: a clipboard may live in it. A program that hangs is killed, and does not keep this process from its end.
 */
export function feedProgram(
  [program = '', ...words]: readonly string[],
  { cwd, env, input, timeoutMs }: Feeding,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let child: ChildProcess;
  try {
    const stdio = inheritedDoors().shut(['pipe', 'ignore', 'ignore']);
    // A group of its own: all of it can be ended.
    child = spawn(program, words, { cwd, env, detached: true, stdio });
  } catch {
    // Arguments that no system accepts.
    return Promise.resolve(false);
  }
  const kill = (): void => signalGroup(child, 'SIGKILL');
  const timers = [
    setTimeout(() => signalGroup(child, 'SIGTERM'), timeoutMs),
    setTimeout(() => {
      kill();
      resolve(false);
    }, timeoutMs + graceMs),
  ];
  process.once('exit', kill);
  for (const timer of timers) timer.unref();
  child.unref();
  (child.stdin as unknown as { unref(): void } | null)?.unref();
  child.on('error', () => resolve(false));
  child.on('exit', (code) => resolve(code === 0));
  // A program that does not read says so by its end.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  return promise.finally(() => {
    process.off('exit', kill);
    for (const timer of timers) clearTimeout(timer);
  });
}

function signalGroup({ pid, exitCode, signalCode }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended just now.
  }
}
