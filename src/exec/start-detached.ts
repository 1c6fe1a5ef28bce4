import { spawn } from 'node:child_process';
import { inheritedDoors } from './processes/inherited-descriptors.ts';

/** Starts a program of the user's own that nothing waits for. One that cannot be started is not missed. */
export function startDetached(
  argv: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): void {
  const [program = '', ...words] = argv;
  try {
    const stdio = inheritedDoors().shut(['ignore', 'ignore', 'ignore']);
    const child = spawn(program, words, { cwd, env, detached: true, stdio });
    child.on('error', () => {});
    child.unref();
  } catch {
    // Arguments that no system accepts.
  }
}
