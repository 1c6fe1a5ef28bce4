import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { words } from '../../src/index.ts';
import { answer, httpError, say } from '../../src/testing/index.ts';
import { long } from '../compaction/talk.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { scene, threadId } from '../harness/scene.ts';

const json = (text: string): JsonObject => JSON.parse(text) as JsonObject;

it('lists, shows and finds a thread with what its turns ran with', async () => {
  const { place } = await scene([answer({ items: [say('In the cellar.')] }), answer({ items: [say('Yes.')] })]);
  const id = threadId(await place.run('exec', '--json', 'Where is the lamp?'));
  await place.run('exec', 'resume', id, '--json', '-m', 'gpt-5.4', '-s', 'read-only', 'Sure?');
  const listed = await place.run('threads', 'list', '--json');
  const [path] = place.rollouts();
  const thread = {
    id,
    path,
    preview: 'Where is the lamp?',
    createdAt: expect.any(Number),
    updatedAt: expect.any(Number),
    cwd: place.workspace,
    provider: 'scripted',
    approval: 'on-request',
    sandbox: 'read-only',
    model: 'gpt-5.4',
    effort: 'medium',
    mode: 'default',
    turns: 2,
    totalTokens: expect.any(Number),
    source: 'exec',
    gitBranch: 'main',
    archived: false,
    compressed: false,
  };
  expect({ code: listed.code, stderr: listed.stderr, page: json(listed.stdout) }).toEqual({
    code: 0,
    stderr: '',
    page: { threads: [thread] },
  });

  const shown = json((await place.run('threads', 'show', id.slice(0, 13), '--json')).stdout);
  const common = { startedAt: expect.any(Number), endedAt: expect.any(Number), status: 'completed', mode: 'default' };
  const same = { cwd: place.workspace, provider: 'scripted', approval: 'on-request', effort: 'medium' };
  expect(shown).toEqual({
    thread,
    checkpoints: [],
    turns: [
      {
        number: 1,
        id: expect.any(String),
        firstWords: 'Where is the lamp?',
        model: 'gpt-5.5',
        sandbox: 'workspace-write',
        ...common,
        ...same,
      },
      {
        number: 2,
        id: expect.any(String),
        firstWords: 'Sure?',
        model: 'gpt-5.4',
        sandbox: 'read-only',
        ...common,
        ...same,
      },
    ],
  });

  const found = json((await place.run('threads', 'search', 'the cellar', '--json')).stdout);
  expect(found).toEqual({ hits: [{ thread, turn: 1, role: 'assistant', excerpt: 'In the cellar.' }] });
  const missed = await place.run('threads', 'search', 'attic');
  expect([missed.code, missed.stdout, missed.stderr]).toEqual([1, '', 'No matches.\n']);
});

it('shows people the same in lines', async () => {
  const { place } = await scene([answer({ items: [say('In the cellar.')] })]);
  const id = threadId(await place.run('exec', '--json', 'Where is the lamp?'));
  const plain = (text: string): string =>
    text
      .replaceAll(place.root, '')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
      .replaceAll(id, 'THREAD');
  const settings =
    'cwd /workspace, model gpt-5.5, effort medium, approval on-request, sandbox workspace-write, mode default';
  const head = `THREAD  just now  1 turn  on main\n  ${settings}\n  Where is the lamp?\n`;
  expect(plain((await place.run('threads', 'list')).stdout)).toBe(head);
  expect(plain((await place.run('threads', 'search', 'LAMP')).stdout)).toBe(
    `${head}  turn 1, user: Where is the lamp?\n`,
  );
  const shown = plain((await place.run('threads', 'show', '--last')).stdout);
  const file = plain(place.rollouts()[0]!);
  const bar = `${'c'.repeat(7)}${'i'.repeat(28)}${'o'.repeat(3)}`;
  expect(shown.replace(/^1\. {2}\S+/m, '1.  TURN').replace(/\d s /, '0 s ')).toBe(
    [
      `${head}  ${file}`,
      '  100 in (20 cached), 10 out, cost unknown   c cached  i other input  o output',
      '',
      '1.  TURN  TIME  completed',
      `  ${'0 s · 100 in (20 cached), 10 out'.padEnd(60)}${bar}`,
      '  Where is the lamp?',
      '  > In the cellar.',
      '',
    ].join('\n'),
  );
});

it('shows every message of a turn, and what a compaction that failed was', async () => {
  const refusal = httpError({ status: 403, body: { error: { message: 'Not for you.' } } });
  const live: LiveThread = await LiveThread.in((request) => {
    if (isCompaction(request)) return refusal;
    if (request.index > 0) return answer({ items: [say(long)] });
    void live.thread.steer({ input: words('And the docs.') });
    return answer({ items: [say('One.')] });
  });
  await live.turn('Build the parser.');
  expect(await live.thread.compact({ signal: new AbortController().signal })).toMatchObject({ kind: 'failed' });
  await live.close();
  const { stdout } = await live.place.run('threads', 'show', live.id);
  expect(stdout).toContain('\n  Build the parser.\n  And the docs.\n');
  expect(stdout).toMatch(/ failed\n.*\n {2}\(compaction\)\n {2}.*Not for you\./);
});

it('says what is wrong with a question', async () => {
  const { place } = await scene([]);
  const told = async (...words: readonly string[]): Promise<readonly unknown[]> => {
    const { code, stdout, stderr } = await place.run('threads', ...words);
    return [code, stdout, stderr.split('\n')[0]];
  };
  expect([
    await told('list'),
    await told('list', 'lamp'),
    await told('list', '--limit', '0'),
    await told('list', '--sort', 'size'),
    await told('list', '--cursor', 'x'),
    await told('search'),
    await told('show', 'nobody'),
    await told('show'),
    await told('reindex', '--json'),
  ]).toEqual([
    [0, '', 'No threads.'],
    [2, '', 'capstan: threads list: it takes options only; `threads search` takes words.'],
    [2, '', 'capstan: threads list: --limit takes a number from 1 to 1000, not "0".'],
    [2, '', 'capstan: threads list: --sort takes updated or created, not "size".'],
    [1, '', 'capstan: The cursor "x" is not valid.'],
    [2, '', 'capstan: There is nothing to search for.'],
    [1, '', 'capstan: No thread is named "nobody".'],
    [2, '', 'capstan: threads show: which thread? Give its id, its name or --last.'],
    [0, '{"threads":0}\n', ''],
  ]);
});

it('forgets what was said in a thread with the thread', async () => {
  const { place } = await scene([answer({ items: [say('A pomegranate.')] })]);
  const id = threadId(await place.run('exec', '--json', 'Say it'));
  expect((await place.run('threads', 'search', 'pomegranate')).code).toBe(0);
  const index = join(place.home, 'capstan', 'threads-7.sqlite');
  expect(readFileSync(index).includes('pomegranate')).toBe(true);
  expect((await place.run('threads', 'delete', id)).code).toBe(0);
  expect(readFileSync(index).includes('pomegranate')).toBe(false);
});
