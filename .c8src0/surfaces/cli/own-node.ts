import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Runs this command with the Node of the linked clone. Undefined if there is none, as in an installed package. */
export async function runOnOwnNode(node: string): Promise<number | undefined> {
  if (!existsSync(node)) return undefined;
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends the signal to both processes, and a second one would cut the turn off. A program sends it to one
  // only.
  const isOnTerminal = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  process.on('SIGINT', () => void (isOnTerminal || child.kill('SIGINT')));
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => child.kill(name));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (signal !== null) {
        process.removeAllListeners(signal);
        process.kill(process.pid, signal);
      }
      resolve(code ?? 1);
    });
  });
}
