import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { capstanScript } from '../harness/run-capstan.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const root = resolve(import.meta.dirname, '../..');

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-compiled-'));
  whenTestEnds(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function run(script: string, env: Readonly<Record<string, string>>): void {
  execFileSync(process.execPath, [script, 'completion', 'bash'], { env: { ...process.env, ...env } });
}

test('what Node has compiled does not stand where commands in the sandbox can change it', () => {
  const folder = temporaryFolder();
  run(capstanScript, { TMPDIR: folder });
  expect(readdirSync(folder)).toEqual([]);
  expect(existsSync(join(root, '.local/compiled'))).toBe(true);
});

test('beside a program that cannot be written it stands in the folder of the user', () => {
  const [program, home, temporary] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  mkdirSync(join(program, 'src/surfaces/cli'), { recursive: true });
  for (const file of ['package.json', 'src/bin.ts', 'src/protocol']) {
    cpSync(join(root, file), join(program, file), { recursive: true });
  }
  writeFileSync(
    join(program, 'src/surfaces/cli/run-command-line.ts'),
    'export const runCommandLine = () => Promise.resolve(0);\n',
  );
  writeFileSync(join(program, '.local'), '');
  run(join(program, 'src/bin.ts'), { HOME: home, TMPDIR: temporary });
  expect([readdirSync(home), readdirSync(join(home, '.cache/capstan')), readdirSync(temporary)]).toEqual([
    ['.cache'],
    ['compiled'],
    [],
  ]);
});
