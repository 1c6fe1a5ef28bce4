import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runRulesFile } from '../../src/core/policy/rules/rules-file.ts';
import { variablesWithCompiled } from '../harness/compiled-once.ts';
import { Random } from '../harness/random.ts';
import { testSeed } from '../harness/seed.ts';

const kills = 40;
const writer = JSON.stringify(join(import.meta.dirname, 'rule-writer.ts'));

/** The words of the rules that were reported as saved before the process was killed. */
async function killWriter(home: string, round: number, afterMs: number): Promise<readonly string[]> {
  const script = `const { saveForever } = await import(${writer}); await saveForever(${JSON.stringify(home)}, ${round});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: variablesWithCompiled(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output === '') setTimeout(() => child.kill('SIGKILL'), afterMs);
    output += text;
  });
  await once(child, 'close');
  return output.split('\n').slice(0, -1);
}

test('a file of rules reads as a whole after every SIGKILL, with each rule that was reported once', async () => {
  const home = mkdtempSync(join(tmpdir(), 'capstan-rule-kill-'));
  const random = new Random(testSeed);
  const reported: string[] = [];
  try {
    for (let round = 0; round < kills; round++) {
      reported.push(...(await killWriter(home, round, random.below(40))));
      const text = readFileSync(join(home, 'rules/default.rules'), 'utf8');
      const read = runRulesFile(text, { file: 'default.rules' });
      const saved =
        read.kind === 'read' ? read.rules.prefixes.map(({ pattern }) => String(pattern[1])) : [read.message];
      expect(saved).toEqual([...new Set(saved)]);
      expect(saved).toEqual(expect.arrayContaining(reported));
    }
    expect(reported.length).toBeGreaterThan(kills);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
