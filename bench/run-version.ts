import { join } from 'node:path';
import { capstanProgram } from './contenders/capstan.ts';
import { codexProgram, codexShim } from './contenders/codex.ts';
import { piProgram } from './contenders/pi.ts';
import { type Command, plainEnvironment } from './process/command.ts';
import { runToExit } from './process/run-to-exit.ts';
import type { RowId } from './report/marks.ts';
import type { Bench } from './run-scenarios.ts';

export const versionRepetitions = { full: 30, quick: 7 };

/** The cost of being asked for nothing. */
export async function runVersion({ book, effort, folder, say }: Bench): Promise<void> {
  const node = (script: string): readonly [string, ...string[]] => [process.execPath, script];
  const programs: readonly (readonly [RowId, readonly string[]])[] = [
    ['capstan', [...node(capstanProgram), '--version']],
    ['codex', [codexProgram(), '--version']],
    ['codex-shim', [...node(codexShim), '--version']],
    ['pi', [...node(piProgram), '--version']],
    ['node', node(join(import.meta.dirname, 'floor/nothing.cjs'))],
  ];
  const rounds = versionRepetitions[effort];
  say(`--version: ${rounds} times`);
  for (let round = 0; round <= rounds; round++) {
    for (const [id, words] of programs) {
      const milliseconds = await runToExit(commandOf(words, folder));
      // The first round fills caches.
      if (round > 0) book.add('version', id, [milliseconds]);
    }
  }
}

function commandOf([program = '', ...words]: readonly string[], cwd: string): Command {
  return { program, arguments: words, env: plainEnvironment(cwd), cwd };
}
