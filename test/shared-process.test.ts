import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { shared } from '../vitest.config.ts';

const root = resolve(import.meta.dirname, '..');

it('suites that share a process leave it as it is', () => {
  const files = globSync([...shared], { cwd: root });
  expect(files.length).toBeGreaterThan(90);
  const changing = files.filter((name) =>
    /process\.(?:chdir|umask|on|once|kill)\(|process\.env\[[^\]]+\]\s*=[^=]|Object\.assign\(process\.env|vi\.(?:spyOn|mock|stub|useFakeTimers)/.test(
      readFileSync(join(root, name), 'utf8'),
    ),
  );
  expect(changing).toEqual([]);
});
