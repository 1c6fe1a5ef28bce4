import { systemPrograms } from '../../src/adapters/exec/find-programs.ts';
import { writeRule } from '../../src/adapters/gather/config/edit-rules-file.ts';
import { systemClock } from '../../src/adapters/gather/clock-and-ids.ts';
import { createFlock } from '../../src/adapters/rollout/files/file-locks.ts';
import { keepCompiled } from '../harness/compiled-once.ts';

/** Saves one rule after another, short and long, and prints the word of each when it is saved, until it is killed. */
export async function saveForever(home: string, round: number): Promise<void> {
  keepCompiled();
  const place = { home, locks: createFlock({ clock: systemClock, programs: systemPrograms }), clock: systemClock };
  for (let number = 0; ; number++) {
    const word = `${round}-${number}-${'x'.repeat(number % 5 === 0 ? 9000 : 10)}`;
    const problem = await writeRule({ kind: 'prefix', prefix: ['make', word] }, place);
    if (problem !== undefined) throw new Error(problem.message);
    process.stdout.write(`${word}\n`);
  }
}
