import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DemoPage } from '../../src/surfaces/demo/play-turn.ts';
import { visibleJson, visibleLine, visibleText } from '../../src/surfaces/views/terminal/visible-text.ts';
import { answer, callTool, httpError, type ItemDraft, reason, say } from '../../src/testing/index.ts';
import { type InsideOptions, runInside } from '../harness/capstan-inside.ts';
import type { Finished } from '../harness/run-capstan.ts';
import { scene, threadId } from '../harness/scene.ts';
import { hasTerminals, onTerminal } from '../harness/terminal.ts';
import { anyCharacter } from '../../src/testing/test-inputs.ts';

/** Sets a title, clears the screen, rings, goes back, turns the writing round, hides letters; no slash, so names have it. */
const evil = '\u001B]0;owned\u0007\u001B[2J\u009B31m\b\rfake\u202Eexe\u2066x\u200By\u2060z\u007F\u0085\uFEFF.';
/** The text as a person shall see it. */
const seen = '␛]0;owned␇␛[2J<U+009B>31m␈␍fake<U+202E>exe<U+2066>x<U+200B>y<U+2060>z␡<U+0085><U+FEFF>.';
/** Characters that no terminal may get: it obeys them or does not show them. Newlines and tabs are layout. */
const harmful =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uD800-\uDFFF]/u;

/** The code by which `exec` clears its status line: it comes from the program, not from the text. */
const cleared = '\r\u001B[K';

function expectHarmless(text: string, about: string): void {
  expect(harmful.test(text), `${about}: ${JSON.stringify(text)}`).toBe(false);
}

describe('a thread in which everything is hostile', () => {
  it('moves no terminal, whichever command shows it', async () => {
    const { run, id } = await hostileThread();
    const commands: readonly (readonly string[])[] = [
      ['threads', 'list'],
      ['threads', 'list', '--text', evil],
      ['threads', 'show', id],
      ['threads', 'show', id, '--full'],
      ['threads', 'search', 'fake'],
      ['threads', 'search', evil],
      ['threads', 'files', id],
      ['threads', 'files', id, '--diff'],
      ['threads', 'pins', id],
      ['threads', 'name', id, `again ${evil}`],
      ['threads', 'show', `no such ${evil}`],
      ['threads', 'set', id, '--model', `m${evil}`, '--effort', 'high'],
      ['threads', 'set', id, '--sandbox', evil],
      ['threads', 'restore', id, '--before-turn', '1', '--dry-run'],
      ['threads', 'fork', id],
      ['threads', 'export', id, '--format', 'markdown'],
      ['threads', 'export', id, '--format', 'html'],
      ['threads', 'import', `no${evil}`],
      ['threads', 'compress', id, '--dry-run'],
      ['threads', 'gc', '--dry-run'],
      ['threads', evil],
      ['threads', 'lst', evil],
      [`two words ${evil}`],
      ['complete', 'fish', '--', 'capstan', 'threads', 'show', ''],
      ['threads', 'list', `--${evil}`],
      ['context', id],
      ['context', id, '--changes'],
      ['context', id, '--request', '1'],
      ['context', id, '--request', 'last'],
      ['context', id, '--checkpoint', 'last'],
      ['context', evil],
      ['envelope', id],
      ['envelope', id, '--diff', '1'],
      ['envelope', id, '--turn', evil],
      ['replay', id],
      ['replay', evil],
      ['config', 'show', '--origin'],
      ['config', 'explain', 'developer_instructions'],
      ['config', 'explain', evil],
      ['config', 'path'],
      ['exec', '--color', 'never', '-c', `model_provider="${tomlText(evil)}"`, 'one more'],
      ['exec', '--color', 'never', '-C', `no${evil}`, 'one more'],
      ['exec', '--color', 'never', '-i', `no${evil}.png`, 'one more'],
      ['exec', '--color', 'never', '--output-schema', `no${evil}`, 'one more'],
      ['exec', '--color', 'never', '--no-such', evil],
      ['exec', '--color', 'never', '-c', evil, 'one more'],
      ['exec', '--color', 'never', 'resume', evil, 'one more'],
      ['exec', '--color', 'never', 'resume', id, `one more ${evil}`],
      ['threads', 'rollback', id, '--turns', '1', '--both'],
      ['threads', 'delete', id],
    ];
    const shown: string[] = [];
    for (const words of commands) {
      const { stdout, stderr } = await run(words, { terminal: true });
      // Colours of our own: the text brings none of these.
      expectHarmless(stdout.replaceAll(/\u001B\[(?:[12]|22|3[1-6]|39)m/g, ''), words.join(' '));
      expectHarmless(stderr.replaceAll(cleared, ''), words.join(' '));
      shown.push(`${words.slice(0, 2).join(' ')}\n${stdout}${stderr}`);
    }
    // It was all there, as signs or as the escapes of a quoted text.
    const sawIt = (name: string): boolean =>
      shown.some((text) => text.startsWith(name) && /(?:␛|\\u001b)\]0;owned/.test(text));
    const showing = ['list', 'show', 'search', 'files', 'pins', 'name', 'restore', 'export'].map(
      (name) => `threads ${name}`,
    );
    expect([...showing, 'context', 'replay', 'config', 'exec', 'complete fish'].filter((name) => !sawIt(name))).toEqual(
      [],
    );
  });

  it('says in JSON what it is, without a byte that a terminal obeys', async () => {
    const { run, id, folder } = await hostileThread();
    const commands: readonly (readonly string[])[] = [
      ['threads', 'list', '--json'],
      ['threads', 'show', id, '--json'],
      ['threads', 'search', 'fake', '--json'],
      ['threads', 'files', id, '--json'],
      ['threads', 'pins', id, '--json'],
      ['context', id, '--json'],
      ['envelope', id, '--json'],
      ['replay', id, '--json'],
      ['config', 'show', '--json'],
    ];
    for (const words of commands) {
      const { stdout } = await run(words);
      expectHarmless(stdout, words.join(' '));
      expect(() => JSON.parse(stdout), words.join(' ')).not.toThrow();
    }
    const { threads } = JSON.parse((await run(['threads', 'list', '--json'])).stdout) as { threads: { cwd: string }[] };
    expect(threads[0]?.cwd).toBe(folder);
  });

  it('leaves files and pipes that are data byte for byte, and a terminal none of them', async () => {
    const { run, id, last } = await hostileThread();
    for (const words of [
      ['replay', id, '--request', '1', '--print'],
      ['context', id, '--request', '1', '--json'],
      ['threads', 'export', id],
    ]) {
      const [piped, typed] = [(await run(words)).stdout, (await run(words, { terminal: true })).stdout];
      expect(piped, words.join(' ')).toContain('\u009B31m');
      expectHarmless(typed, words.join(' '));
      const values = (text: string) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as unknown);
      expect(values(typed)).toEqual(values(piped));
    }
    expect(last).toBe(`Done. ${evil}`);
  });
});

describe('exec', () => {
  it('shows an answer, its commands and its patches as signs, piped or not', async () => {
    const { first } = await hostileThread();
    expectHarmless(first.stdout, 'stdout');
    expectHarmless(first.stderr, 'stderr');
    expect(first.stdout).toBe(`Done. ${seen}\n`);
    for (const part of [`**${seen}**`, `# ${seen}`, `  ${seen}`, `add `, `[ ] ${seen}`]) {
      expect(first.stderr).toContain(part);
    }
  });

  it('has colours of its own, and no others', async () => {
    const { run, id } = await hostileThread();
    const { stdout, stderr } = await run(['exec', '--color', 'always', 'resume', id, 'more'], { terminal: true });
    const own = /\u001B\[(?:[12]|22|3[1-6]|39)m/g;
    expect(stderr.match(own)?.length).toBeGreaterThan(2);
    expectHarmless(stdout + stderr.replaceAll(own, '').replaceAll(cleared, ''), 'all but our own colours');
  });

  it('shows what a server says about a refusal as signs', async () => {
    const { place } = await scene([httpError({ status: 400, body: { error: { message: `refused ${evil}` } } })]);
    const plain = await runInside(place, ['exec', 'hello']);
    expectHarmless(plain.stdout + plain.stderr, 'the refusal');
    expect(plain.stderr).toContain(seen);
  });

  it.runIf(hasTerminals)('writes to a real terminal what was made harmless', async () => {
    const { place } = await scene([answer({ items: [say(`Done. ${evil}`)] })]);
    const { stdout } = await place.start(['exec', '--color', 'never', 'hello'], { prefix: onTerminal }).finished;
    // The terminal itself puts a carriage return before each newline.
    expectHarmless(stdout.replaceAll('\r\n', '\n').replaceAll(cleared, ''), 'the screen');
    expect(stdout).toContain(`Done. ${seen}`);
  });
});

it('a fault of the program itself is reported in plain ASCII', async () => {
  const { place } = await scene([]);
  const thrown = `setImmediate(() => { throw new Error(${JSON.stringify(`broken ${evil}`)}); });`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(thrown)}` };
  const { code, stderr } = await place.start(['threads', 'list'], { env }).finished;
  expect(code).toBe(1);
  expect(stderr).toContain('broken <U+1B>]0;owned<U+7>');
  expectHarmless(stderr, 'the fault');
});

describe('what is made visible', () => {
  it.each([
    ['an escape sequence', '\u001B[31mred\u001B[0m', '␛[31mred␛[0m'],
    ['an escape sequence in one character', '\u009B31m', '<U+009B>31m'],
    ['a title', '\u001B]0;t\u001B\\', '␛]0;t␛\\'],
    ['a line written over another', 'safe\revil', 'safe␍evil'],
    ['a backspace', 'rm\b\bls', 'rm␈␈ls'],
    ['a turned name', 'a\u202Egpj.exe', 'a<U+202E>gpj.exe'],
    ['an isolate', '\u2066x\u2069', '<U+2066>x<U+2069>'],
    ['letters without width', 'pay\u200Bpal\u2060\uFEFF\u00AD', 'pay<U+200B>pal<U+2060><U+FEFF><U+00AD>'],
    ['a joiner between Latin letters', 'pay\u200Dpal', 'pay<U+200D>pal'],
    ['text in tags', 'a\u{E0041}\u{E0042}', 'a<U+E0041><U+E0042>'],
    ['text in variation selectors', 'a\uFE00\uFE01\uFE02', 'a<U+FE00><U+FE01><U+FE02>'],
    ['separators of lines', 'a\u2028b\u2029c\u0085d', 'a<U+2028>b<U+2029>c<U+0085>d'],
    ['a half of a character', 'a\uD800b\uDC00', 'a<U+D800>b<U+DC00>'],
    ['NUL and DEL', '\u0000\u007F', '␀␡'],
  ])('%s', (_, given, expected) => {
    expect(visibleText(given)).toBe(expected);
    expect(JSON.parse(visibleJson(JSON.stringify(given)))).toBe(given);
  });

  it.each(['plain\n\ttext', 'Grüße, Καλημέρα, 你好, 😀', '👩‍💻 ❤️‍🔥 👍🏽', 'می‌خواهم', 'क्‍ष', 'a → b … · ␛'])(
    'leaves %j as it is',
    (text) => expect(visibleText(text)).toBe(text),
  );

  it('a line ends with a newline, whatever wrote it', () => {
    expect(visibleText('a\r\nb\r\n')).toBe('a\nb\n');
    expect(visibleLine('one\ntwo\tthree')).toBe('one␊two␉three');
  });

  it('whatever it is, and in whatever pieces it comes', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...evil, '\u200D', '\uFE0F', '\uD83D', '\uDE00'),
        fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(fc.array(text), (pieces) => {
        expectHarmless(
          pieces
            .map(visibleText)
            .join('')
            .replaceAll(/[\u200C\u200D]/g, ''),
          'pieces',
        );
        expect(JSON.parse(visibleJson(JSON.stringify(pieces)))).toEqual(pieces);
      }),
    );
  });

  it('what the demo shows is harmless, with colours of its own', () => {
    const written: string[] = [];
    const page = new DemoPage({ isTTY: true, write: (text) => written.push(text) }, {});
    page.heading(evil);
    page.paragraph(evil, 'red');
    page.command(evil);
    const own = /\u001B\[\d+m/g;
    expect(written.join('').match(own)?.length).toBeGreaterThan(5);
    // The colours of the page itself: none of them comes from the text.
    expectHarmless(written.join('').replaceAll(own, ''), 'the page');
  });
});

it('only what makes text harmless writes to the streams of the process', () => {
  const writers = sourceFiles(resolve(import.meta.dirname, '../../src')).filter((path) =>
    /process\.(?:stdout|stderr)\b(?!\.(?:isTTY|columns|on)\b)|console\.(?:log|error|warn|info|debug)\(/.test(
      readFileSync(path, 'utf8').replaceAll(/\\`[^]*?\\`/g, ''),
    ),
  );
  const names = writers.map((path) => path.slice(path.indexOf('/src/') + 1)).toSorted();
  expect(names).toEqual([
    'src/bin.ts', // its version, and faults as ASCII
    'src/surfaces/cli/own-node.ts', // asks whether they are a terminal
    'src/surfaces/cli/run-apply-patch.ts', // names the stream to print.ts
    'src/surfaces/cli/sandbox/probes.ts', // the text of a program that the check runs
    'src/surfaces/demo/demo-folders.ts', // the text of a program that the demo writes
    'src/surfaces/demo/run-demo.ts', // gives the stream to the page
    'src/surfaces/exec/approvals/load-approvals.ts', // asks how wide the terminal is
    'src/surfaces/exec/create-output.ts', // gives the stream to the screen
    'src/surfaces/servers/mcp/run-mcp-server.ts',
    'src/surfaces/tui/screen/terminal/process-terminal.ts', // draws rows of cells, whose text is clean
    'src/surfaces/views/terminal/print.ts',
    'src/surfaces/views/terminal/process.ts', // writes nothing: waits
    'src/surfaces/views/terminal/progress.ts', // gives the stream to a screen
    'src/surfaces/views/terminal/screen.ts', // gives the stream to a screen
    'src/surfaces/views/terminal/tables.ts', // paints spans, which makes their text visible
  ]);
});

function sourceFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}

/** Everything that can be hostile is: the model, its command, its patch, the folder, its branch, a note, a name. */
async function hostileThread() {
  const patch = `*** Begin Patch\n*** Add File: p${evil.replaceAll('\r', '')}\n+${evil}\n*** End Patch`;
  const patchCall: ItemDraft = { type: 'custom_tool_call', name: 'apply_patch', input: patch };
  const steps = [
    answer({ items: [reason(`**${evil}**`), callTool('exec_command', { cmd: `printf '%s' '${evil}' # ${evil}` })] }),
    answer({ items: [patchCall] }),
    answer({ items: [callTool('update_plan', { plan: [{ step: evil, status: 'pending' }] })] }),
    answer({ items: [say(`Done. ${evil}`)] }),
  ];
  const { place } = await scene(
    () => steps.shift() ?? answer({ items: [reason(`**${evil}**`), say(`Yes ${evil}`)] }),
    `model_reasoning_summary = "auto"\n"odd${tomlText(evil)}" = 1\ndeveloper_instructions = "${tomlText(evil)}"\n`,
  );
  const folder = join(place.workspace, `w${evil}\nx`);
  mkdirSync(join(folder, '.git'), { recursive: true });
  writeFileSync(join(folder, '.git', 'HEAD'), `ref: refs/heads/b${evil.replaceAll('\r', '')}\n`);
  writeFileSync(join(folder, 'AGENTS.md'), `Obey. ${evil}`);
  const run = (words: readonly string[], options: InsideOptions = {}): Promise<Finished> =>
    runInside(place, words, { cwd: folder, ...options });
  const file = join(place.root, 'answer');
  const first = await run(['exec', '-s', 'danger-full-access', '--color', 'never', '-o', file, `Look. ${evil}`]);
  expect(first.code, first.stderr).toBe(0);
  const { threads } = JSON.parse((await run(['threads', 'list', '--json'])).stdout) as { threads: { id: string }[] };
  const id = threads[0]!.id;
  await run(['threads', 'pin', id, `note ${evil}`]);
  await run(['threads', 'name', id, `name ${evil}`]);
  const second = await run(['exec', '--json', 'resume', id, `More ${evil}`]);
  expect([second.code, threadId(second)], second.stderr).toEqual([0, id]);
  await run(['threads', 'compact', id, `focus ${evil}`]);
  return { place, run, id, folder, first, last: readFileSync(file, 'utf8') };
}

/** Inside the quotes of a TOML string. */
function tomlText(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[\u007F-\uFFFF]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
