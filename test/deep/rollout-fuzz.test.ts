import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { testSeed } from '../harness/seed.ts';
import type { FuzzFigures } from '../fuzz/rollout-fuzz.ts';

const count = 10_000 * inject('runFactor');
const shards = 2;

it(`${count} damaged rollouts crash no reader, and keep what stands before the damage`, async () => {
  const share = count / shards;
  const figures = await Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      const words = [join(import.meta.dirname, 'fuzz-shard.ts'), String(testSeed + shard * share), String(share)];
      return JSON.parse(await outputOf(words)) as FuzzFigures;
    }),
  );
  console.log(figures);
  expect(figures.reduce((sum, { resumed, refused }) => sum + resumed + refused, 0)).toBe(count);
  expect(figures.every(({ resumed, refused, kept }) => resumed > share / 2 && refused > 0 && kept > share)).toBe(true);
}, 1_200_000);

/** The output of the process, or how it ended. */
function outputOf(words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, words, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${words.join(' ')} ended with ${error.signal ?? error.code}\n${stdout}${stderr}`));
    });
  });
}
