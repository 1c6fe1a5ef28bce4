import { beforeAll, expect, test } from 'vitest';
import { testSeed } from '../harness/seed.ts';
import { type Case, makeCase } from './apply-patch/cases.ts';
import { judge, type Verdict } from './apply-patch/differences.ts';
import { type Compared, compareAll } from './apply-patch/run-case.ts';
import { nativeCodex } from './native-codex.ts';
import { requireOracles } from './require-oracles.ts';

beforeAll(requireOracles);

const cases = 8_000;
const batchSize = 50;
const workers = 2;
const firstSeed = testSeed * 1_000_000;

/**
 * The released program and ours get the same generated patches over the same generated files. They must agree on which
 * of them apply, on every byte that is left, and on what they say about a patch that cannot be read; what differs on
 * purpose is told apart case by case.
 */
test('patches do what they do in Codex', { timeout: 30 * 60_000 }, async () => {
  const program = nativeCodex();
  const counts: Partial<Record<Verdict, number>> = {};
  const unmeant: string[] = [];
  let accepted = 0;
  const batches = Array.from({ length: cases / batchSize }, (_, batch) =>
    Array.from({ length: batchSize }, (_, index) => firstSeed + batch * batchSize + index),
  );
  const work = async (): Promise<void> => {
    for (let seeds = batches.shift(); seeds !== undefined && unmeant.length < 5; seeds = batches.shift()) {
      const given = seeds.map(makeCase);
      for (const [index, compared] of (await compareAll(given, program)).entries()) {
        const verdict = judge(given[index]!, compared);
        counts[verdict] = (counts[verdict] ?? 0) + 1;
        if (compared.ours.code === 0) accepted++;
        if (verdict === 'unmeant') unmeant.push(told(seeds[index]!, given[index]!, compared));
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  console.log(`${accepted} of ${cases} patches applied.`, counts);
  expect(unmeant.join('\n\n')).toBe('');
  expect(accepted).toBeGreaterThan(cases * 0.3);
});

function told(seed: number, { patch }: Case, { before, ours, theirs }: Compared): string {
  const shown = ({ code, stderr, tree }: Compared['ours']) => `exit ${code}: ${stderr}${tree}`;
  return [`seed ${seed}`, JSON.stringify(patch), 'before', before, 'ours', shown(ours), 'theirs', shown(theirs)].join(
    '\n',
  );
}
