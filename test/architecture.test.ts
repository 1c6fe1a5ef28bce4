import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseArrows } from './architecture/arrows.ts';
import { importsOf } from './architecture/imports.ts';
import { violations } from './architecture/rules.ts';

const root = join(import.meta.dirname, '..');
const arrows = parseArrows(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));

describe('the house', () => {
  test('every import follows the arrows of ARCHITECTURE.md', () => {
    const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .map((path) => `src/${path.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.ts') && !path.includes('/fixtures/'));
    const sources = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
    expect(violations(sources, arrows)).toEqual([]);
  });

  test('surfaces open threads as live threads, and by no other door', () => {
    const surfaces = readdirSync(join(root, 'src/surfaces'), { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.startsWith('engine/'));
    const opens = (path: string) =>
      /\bengine\??\.(?:start|resume|fork)\(/.test(readFileSync(join(root, 'src/surfaces', path), 'utf8'));
    expect(surfaces.length).toBeGreaterThan(50);
    expect(surfaces.filter(opens)).toEqual([]);
  });

  test('every folder of src/ has a level', () => {
    const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((folder) => folder.name).filter((name) => !arrows.rooms.has(name))).toEqual([]);
  });

  test('lint guards exactly the rooms of the pure core', () => {
    const lint = readFileSync(join(root, '.oxlintrc.json'), 'utf8');
    const pure = [...arrows.rooms].filter(([, room]) => room.level === 1).map(([name]) => name);
    const guard = lint.slice(lint.indexOf('// The pure core'), lint.indexOf('no-restricted-globals'));
    expect([...guard.matchAll(/"src\/(\w+)\/\*\*"/g)].map((match) => match[1]).toSorted()).toEqual(pure.toSorted());
  });
});

describe('the checker', () => {
  const check = (files: Record<string, string>): readonly string[] =>
    violations(new Map(Object.entries(files)), arrows);

  test('reads every form of import, and nothing else', () => {
    const source = `#!/usr/bin/env node
      // import './comment.ts'
      import './effect.ts';
      import first, { second, type Third as Other } from './names.ts';
      import type { Fourth } from "./types.ts";
      import type * as everything from './namespace.ts';
      export { fifth } from './again.ts';
      export type { Sixth } from './again-type.ts';
      export * from './all.ts';
      export * as group from './group.ts';
      export class Empty {}
      export { local };
      const text = 'import "./string.ts"' + \`import './template.ts' \${await import('./lazy.ts')}\`;
      const pattern = /import '.\\/pattern.ts'/;
      type Late = import('./type-query.ts').Late;
      const computed = await import(name);
      const url = import.meta.url + object.import('./member.ts') + half / 2 / 1;
    `;
    expect(importsOf(source)).toEqual([
      { line: 3, specifier: './effect.ts', names: [] },
      { line: 4, specifier: './names.ts', names: ['default', 'second', 'Third'] },
      { line: 5, specifier: './types.ts', names: ['Fourth'] },
      { line: 6, specifier: './namespace.ts', names: ['*'] },
      { line: 7, specifier: './again.ts', names: ['fifth'] },
      { line: 8, specifier: './again-type.ts', names: ['Sixth'] },
      { line: 9, specifier: './all.ts', names: ['*'] },
      { line: 10, specifier: './group.ts', names: ['*'] },
      { line: 13, specifier: './lazy.ts', names: ['*'] },
      { line: 15, specifier: './type-query.ts', names: ['*'] },
      { line: 16, specifier: undefined, names: ['*'] },
    ]);
  });

  test('lets arrows down, along the order and by leave of the document', () => {
    const found = check({
      'src/bin.ts': `const { run } = await import('./surfaces/run.ts');`,
      'src/surfaces/run.ts': `import '../testing/index.ts'; import './engine/engine.ts';`,
      'src/surfaces/engine/engine.ts': `import '../../thread/turn.ts';`,
      'src/testing/index.ts': `import 'node:http';`,
      'src/thread/turn.ts': `import type { Access } from '../policy/access.ts';`,
      'src/state/reduce.ts': `import '../policy/access.ts'; import '../telemetry/cost.ts';`,
      'src/policy/access.ts': `import { createHash } from 'node:crypto';`,
      'src/telemetry/cost.ts': ``,
      'src/policy/access.test.ts': `import 'node:fs'; import '../state/reduce.ts'; import '../testing/index.ts'; process.exit();`,
    });
    expect(found).toEqual([]);
  });

  test('names a cycle, also one of types', () => {
    const found = check({
      'src/world/a.ts': `import type { B } from './b.ts';`,
      'src/world/b.ts': `export type { C } from './c.ts';`,
      'src/world/c.ts': `type A = import('./a.ts').A;`,
    });
    expect(found).toEqual(['import cycle: src/world/a.ts -> src/world/b.ts -> src/world/c.ts -> src/world/a.ts']);
  });

  test('names a circle of folders inside a room, and lets tests look anywhere in it', () => {
    const found = check({
      'src/gather/facts.ts': `import './git/git.ts';`,
      'src/gather/git/git.ts': `import '../files/read.ts';`,
      'src/gather/git/git.test.ts': `import '../facts.ts';`,
      'src/gather/files/read.ts': `import type { Folder } from '../folder.ts';`,
      'src/gather/folder.ts': ``,
    });
    expect(found).toEqual(['circle of folders: src/gather -> src/gather/git -> src/gather/files -> src/gather']);
  });

  test('names an arrow upwards, from tests too', () => {
    const found = check({
      'src/history/a.ts': `\nimport type { Turn } from '../thread/turn.ts';`,
      'src/history/a.test.ts': `import '../thread/turn.ts';`,
      'src/thread/turn.ts': ``,
    });
    expect(found).toEqual([
      'src/history/a.ts:2 imports ../thread/turn.ts: history (L1) may not import upwards from thread (L3)',
      'src/history/a.test.ts:1 imports ../thread/turn.ts: history (L1) may not import upwards from thread (L3)',
    ]);
  });

  test('names an arrow against the order of L1 and between rooms without one', () => {
    const found = check({
      'src/world/a.ts': `export { b } from '../history/b.ts';`,
      'src/history/b.ts': ``,
      'src/policy/c.ts': `import '../config/d.ts';`,
      'src/config/d.ts': ``,
      'src/policy/d.ts': ``,
      'src/telemetry/e.ts': `import '../policy/d.ts';`,
      'src/tools/f.ts': `import '../exec/g.ts';`,
      'src/exec/g.ts': ``,
    });
    expect(found).toEqual([
      'src/world/a.ts:1 imports ../history/b.ts: history does not stand before world in the order of L1',
      'src/policy/c.ts:1 imports ../config/d.ts: config does not stand before policy in the order of L1',
      'src/telemetry/e.ts:1 imports ../policy/d.ts: telemetry and policy are both L1, and ARCHITECTURE.md does not allow telemetry -> policy',
      'src/tools/f.ts:1 imports ../exec/g.ts: tools and exec are both L2, and ARCHITECTURE.md does not allow tools -> exec',
    ]);
  });

  test('lets every room above the core open the disk, which knows none of them', () => {
    const found = check({
      'src/disk/a.ts': `import '../ports/b.ts'; import '../policy/c.ts'; import '../exec/d.ts';`,
      'src/disk/a.test.ts': `import '../policy/c.ts';`,
      'src/ports/b.ts': ``,
      'src/policy/c.ts': `import '../disk/a.ts';`,
      'src/exec/d.ts': `import '../disk/a.ts';`,
      'src/thread/e.ts': `import '../disk/a.ts';`,
    });
    expect(found.filter((broken) => !broken.startsWith('import cycle'))).toEqual([
      'src/disk/a.ts:1 imports ../policy/c.ts: disk imports L0 and below alone, and policy is L1',
      'src/disk/a.ts:1 imports ../exec/d.ts: disk imports L0 and below alone, and exec is L2',
      'src/policy/c.ts:1 imports ../disk/a.ts: policy (L1) may not import upwards from disk (L2)',
    ]);
  });

  test('holds the files of a room to the folder that they must go through', () => {
    const found = check({
      'src/surfaces/exec/a.ts': `import '../engine/b.ts'; import '../../state/d.ts'; import type { C } from '../../thread/c.ts';`,
      'src/surfaces/exec/a.test.ts': `import '../../thread/c.ts';`,
      'src/surfaces/engine/b.ts': `import '../../thread/c.ts';`,
      'src/surfaces/engineer.ts': `import '../thread/c.ts';`,
      'src/thread/c.ts': ``,
      'src/state/d.ts': ``,
    });
    expect(found).toEqual([
      'src/surfaces/exec/a.ts:1 imports ../../thread/c.ts: of surfaces, only surfaces/engine/ imports thread',
      'src/surfaces/engineer.ts:1 imports ../thread/c.ts: of surfaces, only surfaces/engine/ imports thread',
    ]);
  });

  test('names imports that hide what they are, and rooms without a level', () => {
    const found = check({
      'src/exec/a.ts': `import 'capstan/testing'; import '../../test/x.ts'; import './b.ts'; import './a.test.ts'; import(name);`,
      'src/exec/a.test.ts': ``,
      'src/cellar/c.ts': ``,
    });
    expect(found).toEqual([
      'src/exec/a.ts:1 imports capstan/testing: sources import files, not the published package',
      'src/exec/a.ts:1 imports ../../test/x.ts: sources import nothing outside src/',
      'src/exec/a.ts:1 imports ./b.ts: there is no src/exec/b.ts',
      'src/exec/a.ts:1 imports ./a.test.ts: nothing imports a test',
      'src/exec/a.ts:1 imports a computed name: an import must name its file',
      'src/cellar/c.ts: ARCHITECTURE.md gives cellar no level',
    ]);
  });

  test('names what a tool opens by itself, in code only', () => {
    const found = check({
      'src/tools/a.ts': `import { readFileSync } from 'node:fs';
        import { spawn } from 'node:child_process';
        import net from 'node:net';
        import type { Sight } from '../disk/b.ts';
        fetch('http://x'); process.getBuiltinModule('node:fs'); process.env;
        globalThis.fetch; import('undici'); import('fs');`,
      'src/tools/fine.ts': `import { Buffer } from 'node:buffer'; import { resolve } from 'node:path';
        process.getBuiltinModule('node:crypto'); // fetch
        disk.fetch({ process: 'fetch' });`,
      'src/tools/a.test.ts': `import 'node:fs'; import '../disk/b.ts'; fetch('x');`,
      'src/disk/b.ts': `import 'node:fs';`,
    });
    const why = 'the room gets files, processes and the network as ports';
    expect(found).toEqual([
      `src/tools/a.ts:1 imports node:fs: ${why}`,
      `src/tools/a.ts:2 imports node:child_process: ${why}`,
      `src/tools/a.ts:3 imports node:net: ${why}`,
      'src/tools/a.ts:4 imports ../disk/b.ts: tools reaches disk through ports alone',
      `src/tools/a.ts:6 imports undici: ${why}`,
      `src/tools/a.ts:6 imports fs: ${why}`,
      `src/tools/a.ts:5 uses fetch: ${why}`,
      `src/tools/a.ts:5 uses process: ${why}`,
      `src/tools/a.ts:5 uses process: ${why}`,
      `src/tools/a.ts:6 uses globalThis: ${why}`,
    ]);
  });

  test('names what makes the core impure, in code only', () => {
    const found = check({
      'src/policy/a.ts': `import { randomUUID } from 'node:crypto';
        import { join } from 'node:path';
        // process.env in a comment, and 'fetch' in a string
        const fine = { process: 'fetch', at: new Date(0) }.process;
        const a = process.env, b = new Date(), c = Date.now(), d = Math.random(), e = Date();`,
    });
    expect(found).toEqual([
      'src/policy/a.ts:1 imports node:crypto: the pure core does no input or output; of Node it may use createHash, BlockList and isIP',
      'src/policy/a.ts:2 imports node:path: the pure core does no input or output; of Node it may use createHash, BlockList and isIP',
      'src/policy/a.ts:5 uses process: the pure core gets it as a value',
      'src/policy/a.ts:5 uses the current Date: the pure core gets it as a value',
      'src/policy/a.ts:5 uses Date.now: the pure core gets it as a value',
      'src/policy/a.ts:5 uses Math.random: the pure core gets it as a value',
      'src/policy/a.ts:5 uses the current Date: the pure core gets it as a value',
    ]);
  });
});
