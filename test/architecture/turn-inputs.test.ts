import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { turnInputs } from './turn-inputs.ts';

test('inside a turn nothing reads configuration, environment or clock but by the envelope', () => {
  const root = join(import.meta.dirname, '../..');
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts'));
  expect(turnInputs(new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])))).toEqual([]);
});

test('the check sees every way past it, and no other code', () => {
  const found = turnInputs(
    new Map([
      [
        'src/engine/thread/a.ts',
        `import { readConfig } from '../../core/config/config.ts';\nimport type { X } from '../../adapters/gather/x.ts';`,
      ],
      [
        'src/adapters/tools/b/c.ts',
        `const a = process.env['HOME'], b = Date.now(), c = new Date(), d = new Date, e = process.cwd();`,
      ],
      [
        'src/core/world/d.ts',
        `import '../envelope/e.ts'; const at = new Date(startedAt); // process.env\nconst pid = process.pid;`,
      ],
      ['src/core/history/e.test.ts', `const now = Date.now();`],
      ['src/adapters/gather/f.ts', `const now = Date.now();`],
    ]),
  );
  expect(found).toEqual([
    'src/engine/thread/a.ts:1 imports ../../core/config/config.ts',
    'src/engine/thread/a.ts:2 imports ../../adapters/gather/x.ts',
    'src/adapters/tools/b/c.ts:1 reads process.env',
    'src/adapters/tools/b/c.ts:1 reads Date.now',
    'src/adapters/tools/b/c.ts:1 reads new Date()',
    'src/adapters/tools/b/c.ts:1 reads new Date()',
    'src/adapters/tools/b/c.ts:1 reads process.cwd',
  ]);
});
