import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const edits = { config: ['tools.edit="edit"'] };

/** The answer to a call of a tool, in a thread whose model edits. */
async function called(tool: string, given: JsonObject, { files = {}, overrides = [] as readonly string[] } = {}) {
  const live = await LiveThread.in([
    answer({ items: [callTool(tool, given)] }),
    answer({ items: [say('done')] }),
    answer({ items: [say('more')] }),
  ]);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(live.place.workspace, path, '..'), { recursive: true });
    writeFileSync(join(live.place.workspace, path), text as string);
  }
  await live.open({ config: [...edits.config, ...overrides] });
  expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
  const output = live.model.requests[1]?.body['input'] as readonly JsonObject[];
  return { live, output: String(output.at(-1)?.['output']), at: (path: string) => join(live.place.workspace, path) };
}

const read = (path: string): string => readFileSync(path, 'utf8');

function offered(live: LiveThread, request = 0): readonly unknown[] {
  const { body } = live.model.requests[request]!;
  return (body['tools'] as readonly JsonObject[]).map(({ name }) => name);
}

describe('which tools a model has', () => {
  test.each([
    ['gpt-5.5', undefined, ['apply_patch']],
    ['gpt-5.5', 'edit', ['edit_file', 'read_file', 'search']],
    ['some-model', undefined, ['edit_file', 'read_file', 'search']],
    ['some-model', 'patch', ['apply_patch']],
    ['claude-sonnet-4-5', undefined, ['edit_file', 'read_file', 'search']],
  ])('%s with tools.edit %s', async (model, chosen, expected) => {
    const live = await LiveThread.in([answer({ items: [say('hi')] })]);
    await live.open({ config: [`model="${model}"`, ...(chosen === undefined ? [] : [`tools.edit="${chosen}"`])] });
    await live.turn('hi');
    const all = ['apply_patch', 'edit_file', 'read_file', 'search'];
    expect(offered(live).filter((name) => all.includes(String(name)))).toEqual(expected);
    const { body } = live.model.requests[0]!;
    // A larger set of tools would need a file of its own beside the thread.
    expect(JSON.stringify(body['tools']).length).toBeLessThan(4096);
    expect(JSON.stringify(body).length).toBeLessThan(10_240);
  });

  test('a thread that changes its model changes its tools', async () => {
    const live = await LiveThread.in(() => answer({ items: [say('hi')] }));
    await live.open();
    await live.turn('one');
    await live.open({ config: ['model="some-model"'] });
    await live.turn('two');
    expect([offered(live, 0), offered(live, 1)].map((names) => names.includes('edit_file'))).toEqual([false, true]);
  });

  test('a tool of the program goes before one of the same name', async () => {
    const live = await LiveThread.in([answer({ items: [callTool('search', {})] }), answer({ items: [say('ok')] })]);
    const own = { name: 'search', description: 'Mine.', parameters: { type: 'object' }, run: () => 'mine' };
    await live.open(edits, { tools: [own] });
    await live.turn('hi');
    const input = live.model.requests[1]?.body['input'] as readonly JsonObject[];
    expect([offered(live).filter((name) => name === 'search').length, input.at(-1)?.['output']]).toEqual([1, 'mine']);
  });

  test('in plan mode nothing is edited', async () => {
    const live = await LiveThread.in([answer({ items: [say('hi')] })]);
    await live.open(edits);
    const turn = { input: words('hi'), signal: new AbortController().signal };
    await live.thread.runWith({ collaboration: { mode: 'plan' } }, turn);
    const names = offered(live);
    expect([names.includes('edit_file'), names.includes('read_file')]).toEqual([false, true]);
  });

  test('a patch as a command is answered with the tool that there is', async () => {
    const patch = '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch';
    const { output } = await called('exec_command', { cmd: patch });
    expect(output).toContain('Change files with the tool edit_file.');
  });
});

describe('edit_file', () => {
  test('replaces text, and is shown and undone as a patch is', async () => {
    const { live, output, at } = await called(
      'edit_file',
      { path: 'a.txt', old_text: 'two', new_text: 'zwei' },
      { files: { 'a.txt': 'one\ntwo\n' } },
    );
    expect([read(at('a.txt')), output]).toEqual([
      'one\nzwei\n',
      expect.stringMatching(/^Exit code: 0\n.*M a\.txt\n$/s),
    ]);
    const items = live.events.flatMap((event) => (event.kind === 'item-completed' ? [event.item] : []));
    expect(items.filter(({ kind }) => kind === 'file-change')).toMatchObject([
      { changes: [{ path: at('a.txt'), kind: 'update', diff: '@@ -2,1 +2,1 @@\n-two\n+zwei' }], status: 'completed' },
    ]);
    await live.close();
    const engine = await live.engine();
    const [turn] = await engine.stored.turns(live.id);
    await engine.restoreFiles(live.id, { beforeTurn: turn!.id }, { dryRun: false, force: false });
    expect(read(at('a.txt'))).toBe('one\ntwo\n');
  });

  test('creates a file and its folders, exactly as given', async () => {
    const { output, at } = await called('edit_file', { path: 'x/y.txt', old_text: '', new_text: 'no newline' });
    expect([read(at('x/y.txt')), output]).toEqual(['no newline', expect.stringContaining('A x/y.txt')]);
  });

  test.each<[string, JsonObject, string]>([
    ['text that is there twice', { old_text: 'x', new_text: 'y' }, 'is in it 2 times, at the lines 1, 3'],
    ['text that is not there', { old_text: 'z', new_text: 'y' }, 'edit_file failed: Failed to edit'],
    ['nothing to find in a file with text', { old_text: '', new_text: 'y' }, 'it exists and is not empty'],
    ['the same text', { old_text: 'x', new_text: 'x' }, 'nothing would change'],
    ['no text', { old_text: 'x' }, 'must be strings'],
  ])('%s is refused, and nothing changes', async (_, given, expected) => {
    const { output, at } = await called('edit_file', { path: 'a', ...given }, { files: { a: 'x\ny\nx\n' } });
    expect(output).toContain(expected);
    expect(read(at('a'))).toBe('x\ny\nx\n');
  });

  test('text that differs in spaces alone is shown', async () => {
    const files = { 'a.ts': 'const x = {\n    a: 1,\n};\n' };
    const given = { path: 'a.ts', old_text: 'const x = {\n  a: 1,\n};', new_text: '' };
    expect((await called('edit_file', given, { files })).output).toContain(
      'Line 1 and the following differ from it only in spaces or punctuation. Copy them exactly.',
    );
  });

  test('what the policy does not grant is not written', async () => {
    const outside = '/etc/capstan-was-here';
    const { output } = await called('edit_file', { path: outside, old_text: '', new_text: 'x' });
    expect([existsSync(outside), output]).toEqual([false, expect.stringContaining('may not be written')]);
  });
});

describe('read_file', () => {
  const files = { 'a.txt': 'one\ntwo\r\nthree\n', empty: '', 'b.bin': 'a\0b', 'p.png': '\x89PNG\r\n\x1a\n' };

  test.each<[JsonObject, string]>([
    [{ path: 'a.txt' }, '1\tone\n2\ttwo\n3\tthree\n'],
    [{ path: 'a.txt', offset: 2, limit: 1 }, '2\ttwo\n(1 more lines; continue with offset 3)\n'],
    [{ path: 'a.txt', offset: 9 }, 'The file has 3 lines. There is no line 9.'],
    [{ path: 'empty' }, 'The file is empty.'],
  ])('%j', async (given, expected) => {
    expect((await called('read_file', given, { files })).output).toBe(expected);
  });

  test.each<[JsonObject, string]>([
    [{ path: 'none' }, 'There is no file'],
    [{ path: '.' }, 'it is a folder'],
    [{ path: 'b.bin' }, 'does not hold text'],
    [{ path: '' }, '`path` must be'],
    [{ path: 'a.txt', offset: 0 }, '`offset` must be a whole number of at least 1.'],
    [{}, '`path` must be'],
  ])('%j is refused, and says why', async (given, expected) => {
    expect((await called('read_file', given, { files })).output).toContain(expected);
  });

  test('a picture is left to the tool for pictures', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const { output } = await called('read_file', { path: 'p.png' }, { files: { 'p.png': png as never } });
    expect(output).toContain('is a picture (png). Look at it with view_image');
  });

  test('a long file is read in parts', async () => {
    const long = { 'a.txt': Array.from({ length: 5000 }, (_, i) => `line ${i} ${'x'.repeat(100)}`).join('\n') };
    const { output } = await called('read_file', { path: 'a.txt' }, { files: long });
    const next = /continue with offset (?<next>\d+)\)\n$/.exec(output)?.groups?.['next'];
    expect(output.split('\n').length - 2).toBe(Number(next) - 1);
    expect(Buffer.byteLength(output)).toBeLessThan(45_000);
  });
});

describe('search', () => {
  test('finds nothing of the home where the workspace is around it', async () => {
    const live: LiveThread = await LiveThread.in([
      () => answer({ items: [callTool('search', { query: 'model', path: live.place.root })] }),
      () => answer({ items: [callTool('search', { query: 'onfig', in: 'names', path: live.place.root })] }),
      answer({ items: [say('done')] }),
    ]);
    writeFileSync(join(live.place.root, 'notes'), 'my model\n');
    await live.open(edits);
    await live.turn('go');
    const outputs = [1, 2].map((request) => {
      const input = live.model.requests[request]?.body['input'] as readonly JsonObject[];
      return String(input.at(-1)?.['output']);
    });
    expect(outputs[0]).toContain('my model');
    expect(outputs.join('\n')).not.toMatch(/config\.toml|sessions/);
  });

  const files = {
    'src/a.ts': 'const needle = 1;\nlet other = 2;\n',
    'src/b.md': 'Needle in text\n',
    'ignored/c.ts': 'needle\n',
    '.gitignore': 'ignored\n',
  };

  test.each<[JsonObject, string]>([
    [{ query: 'needle' }, 'src/a.ts:1: const needle = 1;\n'],
    [{ query: 'needle', ignore_case: true }, 'src/a.ts:1: const needle = 1;\nsrc/b.md:1: Needle in text\n'],
    [{ query: '^(let|const) \\w+', regex: true, path: 'src' }, 'a.ts:1: const needle = 1;\na.ts:2: let other = 2;\n'],
    [{ query: 'e', glob: '*.md' }, 'src/b.md:1: Needle in text\n'],
    [{ query: 'nothing of the sort' }, '(No matches in 3 files.)\n'],
    [{ query: 'srca', in: 'names' }, 'src/a.ts\n'],
    [{ query: 'zzz', in: 'names' }, '(No matches.)\n'],
    [{ query: '\\.(ts|md)$', in: 'names', regex: true }, 'src/a.ts\nsrc/b.md\n'],
    [{ query: '^SRC$', in: 'names', regex: true, ignore_case: true }, 'src/\n'],
    [{ query: 'SRC', in: 'names', ignore_case: true, glob: '*.md' }, 'src/b.md\n'],
    [{ query: '1;[^\\n]*$', regex: true }, 'src/a.ts:1: const needle = 1;\n'],
    [{ query: '\\\\n', regex: true }, '(No matches in 3 files.)\n'],
    [{ query: 'needle', regex: null, glob: 'src/[a-b]*' }, 'src/a.ts:1: const needle = 1;\n'],
    [{ query: 'needle', path: 'src/a.ts' }, 'a.ts:1: const needle = 1;\n'],
    [{ query: 'needle', path: 'ignored/c.ts' }, 'c.ts:1: needle\n'],
  ])('%j', async (given, expected) => {
    expect((await called('search', given, { files })).output).toBe(expected);
  });

  test.each<[JsonObject, string]>([
    [{ query: '' }, '`query` must be'],
    [{ query: '(a', regex: true }, 'the regular expression has a ( without its )'],
    [{ query: 'a', in: 'files' }, '`in` must be'],
    [{ query: 'a', path: 'nowhere' }, 'nowhere. Search without a path'],
    [{ query: 'a', path: 'src/a.ts', in: 'names' }, 'src/a.ts is not a folder. Give a folder, or search its lines.'],
    [{ query: 'a\nb' }, 'in one line'],
    [{ query: '12x\nfoo', regex: true }, 'the regular expression has a line end, and lines are searched one by one.'],
    [{ query: '12x\\nfoo', regex: true }, 'the regular expression has a line end'],
    [{ query: '(?<!x)a', regex: true }, 'Match more without it and read the lines.'],
    [{ query: 'a', glob: '[' }, '`glob` is not a pattern for paths.'],
    [{ query: 'a', glob: 'src/[ab].{ts,[md}' }, '`glob` is not a pattern for paths.'],
    [{ query: 'a', regex: 'yes' }, '`regex` must be true or false.'],
    [{ query: 'a', ignore_case: 1 }, '`ignore_case` must be true or false.'],
  ])('%j is refused, and says why', async (given, expected) => {
    expect((await called('search', given, { files })).output).toContain(expected);
  });

  test('many matches are cut, and the answer says so', async () => {
    const many = { 'a.txt': 'x\n'.repeat(1000) };
    const { output } = await called('search', { query: 'x' }, { files: many });
    expect([output.split('\n').length, output]).toEqual([202, expect.stringContaining('There are more matches.')]);
  });

  test('a link that leads out of the folder is not followed', async () => {
    const live = await LiveThread.in([
      answer({ items: [callTool('search', { query: 'secret' })] }),
      answer({ items: [say('done')] }),
    ]);
    const { workspace, root } = live.place;
    writeFileSync(join(root, 'out.txt'), 'secret\n');
    symlinkSync(join(root, 'out.txt'), join(workspace, 'link.txt'));
    await live.open(edits);
    await live.turn('go');
    const input = live.model.requests[1]?.body['input'] as readonly JsonObject[];
    expect(input.at(-1)?.['output']).toMatch(/^\(No matches/);
  });
});

describe('what may not be read', () => {
  const config = `default_permissions = "closed"
[permissions.closed.filesystem]
":root" = "read"
":workspace_roots" = { "." = "write", "secret" = "none" }
`;

  test.each<[string, JsonObject]>([
    ['read_file', { path: 'secret/key' }],
    ['read_file', { path: 'link' }],
    ['search', { query: 'hidden' }],
    ['search', { query: 'hidden', path: 'secret' }],
    ['search', { query: 'key', in: 'names', path: 'secret' }],
    ['edit_file', { path: 'secret/key', old_text: 'hidden', new_text: 'x' }],
    ['read_file', { path: '/proc/self/environ' }],
    ['read_file', { path: 'of-the-engine' }],
    ['search', { query: 'PATH', path: '/proc/self' }],
  ])('%s %j', async (tool, given) => {
    const live = await LiveThread.in([answer({ items: [callTool(tool, given)] }), answer({ items: [say('done')] })]);
    const file = join(live.place.home, 'config.toml');
    const before = readFileSync(file, 'utf8').replace('sandbox_mode = "workspace-write"\n', '');
    writeFileSync(file, `${before}\n${config}`.replace('default_permissions = "closed"\n', ''));
    const { workspace } = live.place;
    mkdirSync(join(workspace, 'secret'));
    writeFileSync(join(workspace, 'secret/key'), 'hidden\n');
    chmodSync(join(workspace, 'secret/key'), 0o644);
    symlinkSync('secret/key', join(workspace, 'link'));
    symlinkSync('/proc/self/environ', join(workspace, 'of-the-engine'));
    await live.open({ config: [...edits.config, 'default_permissions="closed"'] });
    await live.turn('go');
    const input = live.model.requests[1]?.body['input'] as readonly JsonObject[];
    expect(input.at(-1)?.['output']).toMatch(/does not allow reading|No matches in 0 files|is off limits/);
    expect(read(join(workspace, 'secret/key'))).toBe('hidden\n');
  });
});
