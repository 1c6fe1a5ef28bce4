import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadRulesFiles } from '../../src/engine/home/command-rules.ts';
import { execpolicyAnswer } from '../../src/surfaces/cli/commands/execpolicy-check.ts';
import { capstanScript } from '../harness/run-capstan.ts';
import { testSeed } from '../harness/seed.ts';
import { makeRulesCase, type RulesCase } from './execpolicy/cases.ts';
import { nativeCodex } from './native-codex.ts';
import { requireOracles } from './require-oracles.ts';

let root: string;
beforeAll(async () => {
  await requireOracles();
  root = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-execpolicy-')));
  mkdirSync(join(root, 'home'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const cases = 600;
const workers = 3;

interface Checked {
  readonly code: number;
  readonly stdout: string;
}

function started(program: string, words: readonly string[]): Promise<Checked> {
  const env = { ...process.env, CODEX_HOME: join(root, 'home'), CAPSTAN_HOME: join(root, 'home') };
  return new Promise((done) => {
    execFile(program, words, { cwd: root, env }, (error, stdout) => done({ code: Number(error?.code ?? 0), stdout }));
  });
}

function written({ files }: RulesCase, seed: number): readonly string[] {
  return files.map((text, index) => {
    const path = join(root, `${seed}-${index}.rules`);
    writeFileSync(path, text);
    return path;
  });
}

function wordsOf({ command, resolves }: RulesCase, paths: readonly string[]): readonly string[] {
  const rules = paths.flatMap((path) => ['--rules', path]);
  return ['execpolicy', 'check', ...rules, ...(resolves ? ['--resolve-host-executables'] : []), '--', ...command];
}

function ours({ command, resolves }: RulesCase, paths: readonly string[]): Checked {
  const rules = loadRulesFiles(paths);
  if ('code' in rules) return { code: 1, stdout: '' };
  const answer = execpolicyAnswer(rules, command, { resolveExecutables: resolves, cwd: root });
  return { code: 0, stdout: `${JSON.stringify(answer)}\n` };
}

test('rules load, fail and decide as in Codex', async () => {
  const seeds = Array.from({ length: cases }, (_, index) => testSeed * 1_000_000 + index);
  const program = nativeCodex();
  const differences: string[] = [];
  const counts = { loaded: 0, matched: 0 };
  const work = async (): Promise<void> => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const given = makeRulesCase(seed);
      const paths = written(given, seed);
      const [own, theirs] = [ours(given, paths), await started(program, wordsOf(given, paths))];
      if (theirs.code === 0) counts.loaded++;
      if (theirs.stdout.includes('matchedPrefix')) counts.matched++;
      if (own.code !== theirs.code || own.stdout !== theirs.stdout) {
        differences.push(JSON.stringify({ seed, ...given, own, theirs }, undefined, 1));
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  expect(differences.slice(0, 5).join('\n')).toBe('');
  expect(counts.loaded).toBeGreaterThan(cases / 3);
  expect(counts.matched).toBeGreaterThan(cases / 10);
});

test.each([
  ['--rules', 'a.rules', 'git', 'status', '--pretty', '-r', 'x'],
  ['--pretty', '-r', 'a.rules', 'git', 'status'],
  ['-r', 'a.rules', '--pretty', 'ls'],
  ['-r', 'a.rules', '-r', 'b.rules', '--', 'git', '--', '-x'],
  ['-r', 'broken.rules', 'git'],
  ['-r', 'missing.rules', 'git'],
  ['git'],
  ['-r', 'a.rules'],
  ['--resolve-host-executables', '-r', 'a.rules', '/usr/bin/git', 'status'],
])('a command line is read as in Codex: %s %s', async (...words) => {
  writeFileSync(
    join(root, 'a.rules'),
    'prefix_rule(["git", "status"], "prompt", justification="é")\nprefix_rule(["git"])\n',
  );
  writeFileSync(join(root, 'b.rules'), 'prefix_rule(["git"], "forbidden")\n');
  writeFileSync(join(root, 'broken.rules'), 'prefix_rule(\n');
  const check = ['execpolicy', 'check', ...words];
  const theirs = await started(nativeCodex(), check);
  expect(await started(process.execPath, [capstanScript, ...check])).toEqual(theirs);
});
