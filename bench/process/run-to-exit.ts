import { spawn } from 'node:child_process';
import { monotonicMs } from '../model/piece.ts';
import type { Command } from './command.ts';

/** Milliseconds from the start of the process to its end. */
export function runToExit({ program, arguments: words, env, cwd }: Command): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = monotonicMs();
    const child = spawn(program, words, { cwd, env, stdio: 'ignore' });
    child.on('error', reject);
    child.on('exit', (code) => {
      const milliseconds = monotonicMs() - startedAt;
      if (code === 0) resolve(milliseconds);
      else reject(new Error(`${program} ${words.join(' ')} ended with ${code}.`));
    });
  });
}
