import { spawn } from 'node:child_process';
import type { Variables } from '../../protocol/variables.ts';

export type ExecProcess = ReturnType<typeof startExec>;

/** How long an interrupted process may take to end its turn. */
const graceMs = 3000;
const standardOutput = 1;

/**
 * `capstan exec` as a process of its own, the same program that runs now. What it shows people goes to where the demo
 * goes, by itself: on a terminal it has a status line and colours, elsewhere it is plain text. The signal ends it.
 */
export function startExec(
  words: readonly string[],
  { cwd, env, signal }: { readonly cwd: string; readonly env: Variables; readonly signal: AbortSignal },
) {
  const program = [process.argv[1] ?? '', 'exec', ...words];
  const child = spawn(process.execPath, program, { cwd, env, stdio: ['ignore', 'ignore', standardOutput] });
  let grace: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    grace = setTimeout(() => child.kill('SIGKILL'), graceMs);
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const ended = new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>((resolve) => {
    const end = (code: number | null, by: NodeJS.Signals | null): void => {
      clearTimeout(grace);
      signal.removeEventListener('abort', stop);
      resolve({ code, signal: by });
    };
    child.on('error', () => end(null, null));
    child.on('exit', end);
  });
  return {
    ended,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** Ends it without a warning. */
    kill: () => child.kill('SIGKILL'),
  };
}
