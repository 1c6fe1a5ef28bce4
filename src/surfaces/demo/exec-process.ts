import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Variables } from '../../protocol/variables.ts';
import type { ExecEvent } from '../exec/events.ts';

/** `capstan exec --json` as a process of its own, the same program that runs now. */
export interface ExecProcess {
  /** Its events, as they arrive. To be read once, to the end. */
  readonly events: AsyncIterable<ExecEvent>;
  /** Resolves when the process is gone; what it said may still wait to be read. */
  readonly gone: Promise<void>;
  /** Resolves when, besides, everything it said has been read. */
  readonly ended: Promise<ExecEnd>;
  isAlive(): boolean;
  /** Ends it without a warning. */
  kill(): void;
}

export interface ExecEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** How long an interrupted process may take to end its turn. */
const graceMs = 3000;

/** The words are those after `exec --json`; the signal ends the process. */
export function startExec(
  words: readonly string[],
  { cwd, env, signal }: { readonly cwd: string; readonly env: Variables; readonly signal: AbortSignal },
): ExecProcess {
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
  const ended = new Promise<ExecEnd>((resolve) => {
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
    events: eventsIn(child.stdout),
    gone,
    ended,
    isAlive: () => child.exitCode === null && child.signalCode === null,
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
