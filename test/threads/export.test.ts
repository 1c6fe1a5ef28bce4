import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { answer, callTool, type ItemDraft, reason, say } from '../../src/testing/index.ts';
import { runInside } from '../harness/capstan-inside.ts';
import { Place } from '../harness/run-capstan.ts';
import { scene, type Scene, threadId, withoutSandbox } from '../harness/scene.ts';

const evil = '</pre><script>alert("1")</script><img src=x onerror=\'x\'> & `ticks` ```';
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const script = [
  answer({ items: [reason('Look first.'), callTool('exec_command', { cmd: `printf '\\033[31m%s' '</pre>&'` })] }),
  answer({ items: [patch('*** Begin Patch\n*** Add File: new.txt\n+hello <b>\n*** End Patch\n')] }),
  answer({ items: [{ ...say(`Done. ${evil}`), phase: 'final_answer' }] }),
  answer({ items: [say('Yes.')] }),
];

async function twoTurns(): Promise<Scene & { readonly id: string }> {
  const { model, place } = await scene([...script, ...script], withoutSandbox);
  writeFileSync(join(place.workspace, 'dot.png'), Buffer.from(dot, 'base64'));
  const id = threadId(await place.run('exec', '--json', '-i', 'dot.png', '--', `Say it. ${evil}`));
  await place.run('exec', 'resume', id, 'second words');
  return { model, place, id };
}

describe('capstan threads export', () => {
  it('writes a page that needs and does nothing else, with every text of the thread escaped', async () => {
    const { place, id } = await twoTurns();
    const { code, stdout: html } = await place.run('threads', 'export', id, '--format', 'html');
    expect(code).toBe(0);
    // Every tag is one of ours, with attributes of ours: what a thread says makes none.
    const tags = new Set(
      (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/"data:image\/png;base64,[^"]+"/, '"data"')),
    );
    expect([...tags].filter((tag) => !tag.startsWith('</')).toSorted()).toEqual([
      '<!doctype html>',
      '<a href="#turn-1">',
      '<a href="#turn-2">',
      '<article class="assistant">',
      '<article class="call">',
      '<article class="user">',
      '<body>',
      '<code>',
      '<dd>',
      '<details>',
      '<div class="text">',
      '<dl>',
      '<dt>',
      '<h1>',
      '<h2>',
      '<h3>',
      '<head>',
      '<header>',
      '<html lang="en">',
      '<img alt="" src="data">',
      '<main>',
      '<meta charset="utf-8">',
      '<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:">',
      '<meta name="viewport" content="width=device-width, initial-scale=1">',
      '<p class="facts">',
      '<p>',
      '<pre class="output">',
      '<pre>',
      '<section id="turn-1">',
      '<section id="turn-2">',
      '<small>',
      '<span class="added">',
      '<span class="file">',
      '<style>',
      '<summary>',
      '<title>',
    ]);
    expect(html).not.toMatch(/https?:|url\(|@import|javascript:/i);
    expect(html).toContain('prefers-color-scheme: dark');
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;');
    expect(html).toContain('<details><summary>Context: environment</summary>');
    expect(html).toContain('<span class="added">+hello &lt;b&gt;</span>');
    expect(html).toContain('\u241b[31m&lt;/pre&gt;&amp;');
    expect(html).toContain('Tokens: 300 in (60 cached), 30 out');
    expect(html).toMatch(/<h3>exec_command <small>exit 0 · \d+ ms<\/small><\/h3>/);
    await place.run('threads', 'name', id, 'Say <it>');
    const { stdout: named } = await place.run('threads', 'export', id, '--format', 'html');
    expect(named).toContain('<title>Say &lt;it&gt;</title>');
    expect((await place.run('threads', 'export', id, '--format', 'markdown')).stdout).toMatch(/^# Say \\<it\\>\n/);
  });

  it('writes Markdown in which nothing breaks out of its place', async () => {
    const { place, id } = await twoTurns();
    const { code, stdout } = await place.run('threads', 'export', '--last', '--format', 'markdown');
    expect(code).toBe(0);
    const lines = place.lines();
    const times = lines.filter(({ payload }) => payload['type'] === 'task_started').map(({ timestamp }) => timestamp);
    const folder = place.workspace;
    const [first, ...rest] = stdout
      .replaceAll(/<details><summary>Context: .*?<\/details>\n\n/gs, '')
      .split('\n\n## Turn ');
    const title = `${[...`Say it. ${evil}`].slice(0, 79).join('')}`;
    expect(first?.split('\n')[0]).toBe(`# ${title.replaceAll(/[\\`*_[\]<>#]/g, (sign) => `\\${sign}`)}`);
    expect(first).toContain(`- thread: \`${id}\``);
    const facts = `model \`gpt-5.5\`, effort \`medium\`, folder \`${folder}\`, sandbox \`danger-full-access\`, approval \`on-request\``;
    expect(rest[0]).toContain(`${times[0]} · ${facts}\n`);
    // The second turn ran under the same settings.
    expect(rest[1]).toBe(`2

${times[1]}

**User**

> second words

**Assistant**

Yes.

*Tokens: 100 in (20 cached), 10 out*
`);
    expect(rest[0]).toContain(`> Say it. ${evil}`);
    expect(rest[0]).toContain('> [1 picture]');
    expect(rest[0]).toContain('<details><summary>Reasoning</summary>\n\n> Look first.\n\n</details>');
    expect(rest[0]!.replace(/\d+ ms/, 'N ms')).toContain(
      "**Call** `exec_command` (exit 0 · N ms)\n\n```sh\nprintf '\\033[31m%s' '</pre>&'\n```",
    );
    expect(rest[0]).toContain('```diff\n*** Begin Patch\n*** Add File: new.txt\n+hello <b>\n*** End Patch\n```');
  });

  it('writes a fork as one flat file that continues in another home and gives back every request', async () => {
    const { model, place, id } = await twoTurns();
    const fork = forkOf(place, id);
    await place.run('exec', 'resume', fork, 'third words');
    const asked = model.requests.length;
    const folder = join(place.root, 'exported');
    mkdirSync(folder);
    const { code, stdout, stderr } = await place.run('threads', 'export', fork, '-o', folder);
    expect([code, stderr]).toEqual([0, '']);
    const path = stdout.trimEnd();
    expect(basename(path)).toMatch(new RegExp(`^rollout-2026-11-15T00-00-00-${fork}\\.jsonl$`));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const lines = linesOf(path);
    expect(lines.map(({ ordinal }) => ordinal)).toEqual(lines.map((_, index) => index));
    expect(lines[0]!.payload).not.toHaveProperty('history_base');
    expect(lines.filter(({ type }) => type === 'session_meta')).toHaveLength(1);
    const again = await place.run('threads', 'export', fork, '-o', folder);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists already')]);

    const other = new Place(model.url);
    try {
      expect(await other.run('threads', 'import', path)).toMatchObject({ code: 0, stdout: `${fork}\n`, stderr: '' });
      const [copy, ...more] = other.rollouts();
      expect([basename(copy!), more]).toEqual([basename(path), []]);
      const [first, ...rest] = linesOf(copy!);
      expect(rest).toEqual(lines.slice(1));
      const { capstan: _seal, ...meta } = lines[0]!.payload;
      expect(first).toEqual({ ...lines[0], payload: { ...meta, capstan: { imported: expect.any(String) } } });
      expect(await other.run('threads', 'import', path)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`Thread ${fork} already exists here.`),
      });
      const third = new Place(model.url);
      const shown = await runInside(third, ['threads', 'import', path], { terminal: true });
      expect(shown.stdout).toMatch(
        new RegExp(
          `^Imported thread ${fork}: \\d turns, beginning with ".*"\\.\\nTo resume it in this folder: capstan exec resume ${fork} "Continue\\."\\n$`,
        ),
      );
      third.remove();
      const replayed = await other.run('replay', fork);
      expect([replayed.code, replayed.stdout.trimEnd().split('\n').at(-1)]).toEqual([
        0,
        `${asked} of ${asked} requests rebuilt byte for byte.`,
      ]);
      const resumed = await other.run('exec', '-C', other.workspace, 'resume', fork, 'fourth words');
      expect(resumed.code, resumed.stderr).toBe(0);
      const before = model.requests[asked - 1]!.body['input'] as unknown as readonly JsonObject[];
      const now = model.requests[asked]!.body['input'] as unknown as readonly JsonObject[];
      expect(now.slice(0, before.length)).toEqual(before);
    } finally {
      other.remove();
    }
  });

  it('says on a terminal what it wrote, and gives a script the path alone', async () => {
    const { place, id } = await twoTurns();
    const path = join(place.root, 'thread.html');
    const typed = await runInside(place, ['threads', 'export', id, '-o', path], { terminal: true });
    expect(typed.stdout).toMatch(/^Exported 2 turns, \S+ kB, to .*\/thread\.html\n$/);
    expect((await place.run('threads', 'export', id, '-o', path, '--force')).stdout).toBe(`${path}\n`);
  });

  it('gives a copy an id of its own', async () => {
    const { place, id } = await twoTurns();
    const folder = join(place.home, 'sessions/2026/11/15');
    mkdirSync(folder, { recursive: true });
    const { stdout } = await place.run('threads', 'export', id, '--new-id', '-o', folder);
    const [meta, ...rest] = linesOf(stdout.trimEnd());
    const copy = String(meta!.payload['id']);
    expect(copy).not.toBe(id);
    const original = linesOf(place.rollouts().find((path) => path.includes(id))!);
    expect([meta, ...rest]).toEqual([
      { ...original[0], payload: { ...original[0]!.payload, id: copy, session_id: copy } },
      ...original.slice(1),
    ]);
    const resumed = await place.run('exec', '--json', 'resume', copy, 'third words');
    expect([resumed.code, threadId(resumed)], resumed.stderr).toEqual([0, copy]);
    expect(await place.run('replay', copy)).toMatchObject({ code: 0 });
  });

  it('takes over nothing that is not a whole rollout', async () => {
    const { place, id } = await twoTurns();
    const fork = forkOf(place, id);
    const before = place.rollouts();
    const refused = async (name: string) => {
      const { code, stdout, stderr } = await place.run('threads', 'import', name);
      return [code, stdout, stderr.split('\n')[0]];
    };
    writeFileSync(join(place.workspace, 'notes.jsonl'), '{"type":"note"}\n');
    expect(await refused('notes.jsonl')).toEqual([1, '', expect.stringContaining('is not a thread file')]);
    expect(await refused('missing.jsonl')).toEqual([1, '', expect.stringContaining('There is no file')]);
    expect(await refused(place.home)).toEqual([1, '', expect.stringContaining('needs no import')]);
    expect(await refused(before.find((path) => path.includes(fork))!)).toEqual([
      1,
      '',
      expect.stringContaining('continues from another file'),
    ]);
    expect(place.rollouts()).toEqual(before);
  });

  it('writes what the ending of the file says, unless a format is given', async () => {
    const { place } = await scene([answer({ items: [say('Yes.')] })]);
    const id = threadId(await place.run('exec', '--json', 'one'));
    const first = async (name: string, ...words: readonly string[]): Promise<string> => {
      const path = join(place.root, name);
      expect(await place.run('threads', 'export', id, '-o', path, ...words)).toMatchObject({ code: 0, stderr: '' });
      return readFileSync(path, 'utf8').slice(0, 5);
    };
    expect([await first('x.md'), await first('x.HTML'), await first('x.jsonl'), await first('x')]).toEqual([
      '# one',
      '<!doc',
      '{"tim',
      '{"tim',
    ]);
    expect(await first('y.md', '--format', 'jsonl')).toBe('{"tim');
    expect(await place.run('threads', 'export', id, '-o', join(place.root, 'z.md'), '--new-id')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--new-id works only with --format jsonl.'),
    });
  });

  it('explains what it cannot do', async () => {
    const { place } = await scene([]);
    expect(await place.run('threads', 'export')).toMatchObject({ code: 2 });
    expect(await place.run('threads', 'export', 'x', '--format', 'pdf')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--format takes jsonl, markdown or html, not "pdf".'),
    });
    expect(await place.run('threads', 'export', 'nobody')).toMatchObject({ code: 1, stdout: '' });
  });
});

function patch(input: string): ItemDraft {
  return { type: 'custom_tool_call', name: 'apply_patch', input };
}

function linesOf(path: string): readonly Line[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as Line);
}

/** A fork holds no copy: its first line points at the file of its source. */
function forkOf(place: Place, id: string): string {
  const [path] = place.rollouts();
  const lines = linesOf(path!);
  const fork = '01a1dcd3-0000-7000-8000-00000000abcd';
  const timestamp = '2026-11-15T00:00:00.000Z';
  const meta = {
    ...lines[0]!.payload,
    id: fork,
    session_id: fork,
    timestamp,
    forked_from_id: id,
    history_base: { thread_id: id, end_ordinal_exclusive: lines.length, end_byte_offset: statSync(path!).size },
  };
  const folder = join(place.home, 'sessions/2026/11/15');
  mkdirSync(folder, { recursive: true });
  const line = { timestamp, ordinal: lines.length, type: 'session_meta', payload: meta };
  writeFileSync(join(folder, `rollout-2026-11-15T00-00-00-${fork}.jsonl`), `${JSON.stringify(line)}\n`);
  return fork;
}
