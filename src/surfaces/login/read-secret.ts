import { BoundedBuffer } from '../../protocol/bounded-buffer.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { printNote } from '../terminal/print.ts';

const mostBytes = 64 * 1024;

/** What is piped in. At a terminal it would stand on the screen, so nothing is read there. */
export async function readSecret(what: 'API key' | 'access token', signal: AbortSignal): Promise<string | Outcome> {
  const option = what === 'API key' ? '--with-api-key' : '--with-access-token';
  if (process.getBuiltinModule('node:tty').isatty(0)) {
    const name = what === 'API key' ? 'OPENAI_API_KEY' : 'CODEX_ACCESS_TOKEN';
    const next = `Pipe it in: \`printenv ${name} | capstan login ${option}\`.`;
    return { code: 'usage', message: `${option} reads the ${what} from standard input.`, next };
  }
  printNote(`Reading the ${what} from standard input.`);
  const held = new BoundedBuffer(mostBytes);
  const onAbort = (): void => void process.stdin.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for await (const chunk of process.stdin) {
      if (!held.add(chunk as Buffer)) return tooLong(what);
    }
  } catch {
    // Closed, or stopped: what came counts.
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  return held.take().toString('utf8');
}

function tooLong(what: string): Outcome {
  const message = `Standard input is longer than any ${what}.`;
  return { code: 'login-unfit', message, next: `Pipe in the ${what} and nothing else.` };
}
