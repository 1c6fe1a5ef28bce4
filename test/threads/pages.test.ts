import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countColumns } from '../../src/base/text-columns.ts';
import { answer, callTool, type ItemDraft, say } from '../../src/testing/index.ts';
import { runInside } from '../harness/capstan-inside.ts';
import type { Place } from '../harness/run-capstan.ts';
import { scene, threadId, withoutSandbox } from '../harness/scene.ts';

const command = (cmd: string): ItemDraft => callTool('exec_command', { cmd });

/** Two turns: files made, a command that fails, a file changed by another model. */
async function worked(): Promise<{ readonly place: Place; readonly id: string }> {
  const { place } = await scene(
    [
      answer({ items: [command(String.raw`printf 'a\nb\nc\n' > f; echo made > made; printf 'a\0b' > binary`)] }),
      answer({ items: [command('exit 3')] }),
      answer({ items: [say('I made three files.\nOne of them is binary.')] }),
      answer({ items: [command(String.raw`printf 'a\nB\nc\n' > f; rm made`)] }),
      answer({ items: [say('漢字'.repeat(60))] }),
    ],
    withoutSandbox,
  );
  writeFileSync(join(place.workspace, 'AGENTS.md'), 'Be kind.\n');
  const id = threadId(await place.run('exec', '--json', 'Make files, please. '.repeat(9)));
  await place.run('exec', 'resume', id, '-m', 'gpt-5.4', 'Now change them.');
  return { place, id };
}

async function onTerminal(place: Place, columns: number, words: readonly string[], env = {}): Promise<string> {
  Object.defineProperty(process.stdout, 'columns', { value: columns, configurable: true, writable: true });
  const { code, stdout } = await runInside(place, words, {
    terminal: true,
    env: { TERM: 'xterm', NO_COLOR: '', ...env },
  });
  Reflect.deleteProperty(process.stdout, 'columns');
  expect(code).toBe(0);
  return stdout;
}

const escape = '\u001B';
const withoutLooks = (text: string): string => text.replaceAll(new RegExp(String.raw`${escape}\[\d+m`, 'g'), '');

/** All pages of a thread for people. */
const pages = (id: string): readonly (readonly string[])[] => [
  ['context', id],
  ['context', id, '--changes'],
  ['context', id, '--request', 'last'],
  ['envelope', id],
  ['envelope', id, '--diff', '1'],
  ['threads', 'list'],
  ['threads', 'search', 'files'],
  ['threads', 'show', id],
  ['threads', 'show', id, '--full'],
];

it('pages fit 80 columns, with and without colours, and have no escape in a pipe', async () => {
  const { place, id } = await worked();
  for (const words of pages(id)) {
    const coloured = await onTerminal(place, 80, words);
    const plain = await onTerminal(place, 80, words, { NO_COLOR: '1' });
    const piped = (await place.run(...words)).stdout;
    expect([words, coloured.includes(escape), plain.includes(escape), piped.includes(escape)]).toEqual([
      words,
      true,
      false,
      false,
    ]);
    // The place of the file is one word.
    const wide = (text: string) =>
      text.split('\n').filter((line) => countColumns(line) > 80 && !line.endsWith('.jsonl'));
    expect([words, ...wide(withoutLooks(coloured)), ...wide(plain)]).toEqual([words]);
  }
});

it('draws the window by family', async () => {
  const { place, id } = await worked();
  const { stdout } = await place.run('context', id);
  const lines = stdout.split('\n');
  expect(lines[3]).toMatch(/^itumoc\.{94}$/);
  expect(lines[4]).toMatch(/^i instructions \d+ {3}t tools \d+ {3}u user \d+ {3}m model \d+ {3}o tool outputs \d+/);
  expect(await onTerminal(place, 80, ['context', id])).toContain(`${escape}[35m█${escape}[39m instructions`);
});

it('marks what each turn added', async () => {
  const { place, id } = await worked();
  const { stdout } = await place.run('context', id, '--changes');
  expect(stdout).toMatch(/^1 +1 +full bundle +~[\d,]+ +the thread began +\+ permissions\n +\+ user_instructions\n/m);
  expect(stdout).toMatch(/^2 +1 +change .* \+ model_switch\n\n\+ new {3}~ changed {3}= sent again\n$/m);
});

it('shows the calls and answers of a turn in short, and all of them with --full', async () => {
  const { place, id } = await worked();
  const { stdout } = await place.run('threads', 'show', id);
  expect(stdout).toContain('  $ exit 3  [exit 3]\n  > I made three files. One of them is binary.\n');
  expect(stdout).toMatch(/^2\. .*\n {2}model gpt-5\.4\n {2}\d+ s · 200 in \(40 cached\), 20 out {2,}c+i+o+\n/m);
  expect(stdout).not.toContain('permissions instructions');
  const full = (await place.run('threads', 'show', id, '--full')).stdout;
  expect(full).toContain(
    '  call of exec_command\n    $ exit 3\n  [exit 3]\n  model\n    I made three files.\n    One of',
  );
  expect(full).toContain('<permissions instructions>');
  const json = JSON.parse((await place.run('threads', 'show', id, '--full', '--json')).stdout) as {
    readonly turns: readonly { readonly items: readonly { readonly kind: string }[]; readonly usage: object }[];
  };
  expect(json.turns[1]!.usage).toMatchObject({ input_tokens: 200, output_tokens: 20 });
  expect(json.turns[1]!.items.map(({ kind }) => kind)).toEqual(['context', 'user', 'call', 'assistant']);
});

it('shows the lines that each turn changed, and names what it cannot show', async () => {
  const { place, id } = await worked();
  const { stdout } = await place.run('threads', 'files', id, '--diff');
  expect(stdout.replaceAll(/[0-9a-f-]{36}/g, 'ID').replaceAll(place.workspace, 'ROOT')).toBe(
    [
      'Turn 1, ID, in ROOT',
      '  added  3 B  binary',
      '    (a binary file, not shown)',
      '  added  6 B  f',
      '    @@ -0,0 +1,3 @@',
      '    +a',
      '    +b',
      '    +c',
      '  added  5 B  made',
      '    @@ -0,0 +1 @@',
      '    +made',
      '',
      'Turn 2, ID, in ROOT',
      '  changed  6 → 6 B  f',
      '    @@ -1,3 +1,3 @@',
      '     a',
      '    -b',
      '    +B',
      '     c',
      '  deleted  5 B  made',
      '    @@ -1 +0,0 @@',
      '    -made',
      '',
    ].join('\n'),
  );
  expect(await onTerminal(place, 80, ['threads', 'files', id, '--diff'])).toContain(
    `${escape}[31m    -b\n${escape}[39m`,
  );
});
