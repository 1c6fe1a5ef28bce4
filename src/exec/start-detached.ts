import { spawn } from 'node:child_process';
import { inheritedDoors } from './processes/inherited-descriptors.ts';

/** Starts a program of the user's own that nothing waits for. Whether it could be started. */
export function startDetached(
  argv: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): boolean {
  const [program = '', ...words] = argv;
  try {
    const stdio = inheritedDoors().shut(['ignore', 'ignore', 'ignore']);
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
