import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Variables } from '../../protocol/variables.ts';
import type { ExecEvent } from '../exec/events.ts';

export type ExecProcess = ReturnType<typeof startExec>;

/** How long an interrupted process may take to end its turn. */
const graceMs = 3000;

/**
 * `capstan exec --json` as a process of its own, the same program that runs now. The words are those after `--json`; the
 * signal ends the process.
 */
export function startExec(
  words: readonly string[],
  { cwd, env, signal }: { readonly cwd: string; readonly env: Variables; readonly signal: AbortSignal },
) {
  const program = [process.argv[1] ?? '', 'exec', '--json', ...words];
  const child = spawn(process.execPath, program, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  let grace: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    grace = setTimeout(() => child.kill('SIGKILL'), graceMs);
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>((resolve) => {
    child.on('error', (error) => (stderr += error.message));
    child.on('close', (code, by) => {
      clearTimeout(grace);
      signal.removeEventListener('abort', stop);
      resolve({ code, signal: by, stderr });
    });
  });
  const gone = new Promise<void>((resolve) => {
    child.on('exit', () => resolve());
    void ended.then(() => resolve());
  });
  return {
    /** Its events, as they arrive. To be read once, to the end. */
    events: eventsIn(child.stdout),
    /** Resolves when the process is gone; what it said may still wait to be read. */
    gone,
    /** Resolves when, besides, everything it said has been read. */
    ended,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    /** Ends it without a warning. */
    kill: () => child.kill('SIGKILL'),
  };
}

async function* eventsIn(stdout: Readable): AsyncGenerator<ExecEvent> {
  let rest = '';
  for await (const chunk of stdout.setEncoding('utf8')) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    // The names are our own contract; a line that breaks it is a bug that should be seen.
    for (const line of lines) yield JSON.parse(line) as ExecEvent;
  }
}
