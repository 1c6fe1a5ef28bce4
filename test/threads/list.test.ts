import { appendFileSync, renameSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { all, bytesOf, event, IndexHome, meta, noon, says, shownContext, turn, uuid } from './index-home.ts';

const one = uuid(1);
const two = uuid(2);
const three = uuid(3);

it('lists threads in both forms alike, whatever program wrote them', async () => {
  const home = new IndexHome();
  const paginated = home.write(
    one,
    [
      meta(one, { history_mode: 'paginated', model_provider: 'p', git: { branch: 'main' } }),
      ...turn('t1', 'Do  this'),
      event('token_count', { info: { total_token_usage: { total_tokens: 70 } } }),
    ],
    { mtime: noon + 1000.25 },
  );
  const legacy = home.write(
    two,
    [
      meta(two, { source: undefined as never, history_mode: 'legacy' }),
      says('user', '<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>'),
      says('user', 'An old question'),
      event('user_message', { message: 'An old question' }),
      says('assistant', 'An old answer'),
      meta(two, { git: { branch: 'later' } }),
    ],
    { from: 'none' },
  );
  expect(await home.index.list(all)).toEqual({
    threads: [
      {
        id: one,
        location: paginated,
        preview: 'Do this',
        createdAt: noon,
        updatedAt: noon + 1000,
        ...shownContext,
        provider: 'p',
        turns: 1,
        totalTokens: 70,
        source: 'exec',
        gitBranch: 'main',
        archived: false,
        compressed: false,
      },
      {
        id: two,
        location: legacy,
        preview: 'An old question',
        createdAt: noon,
        updatedAt: noon,
        cwd: '/repo',
        turns: 1,
        totalTokens: 0,
        source: 'vscode',
        gitBranch: 'later',
        archived: false,
        compressed: false,
      },
    ],
  });
});

it('shows of a fork and of a revert what they took over', async () => {
  const home = new IndexHome();
  const lines = [meta(one), ...turn('t1', 'First'), ...turn('t2', 'Second')];
  const source = home.write(one, lines);
  const half = bytesOf(lines.slice(0, 6));
  home.write(two, [meta(two, { forked_from_id: one, ...home.base(source, one, 6, half) })], { from: 6 });
  // The thread itself goes back before its second turn.
  home.write(one, [meta(one, home.base(source, one, 6, half)), ...turn('t3', 'Third')], { rollout: three, from: 6 });
  const page = await home.index.list(all);
  expect('threads' in page && page.threads.map(({ location: _path, ...thread }) => thread)).toEqual([
    {
      id: two,
      preview: 'First',
      createdAt: noon,
      updatedAt: noon,
      ...shownContext,
      forkedFrom: one,
      turns: 1,
      totalTokens: 0,
      source: 'exec',
      archived: false,
      compressed: false,
    },
    {
      id: one,
      preview: 'First',
      createdAt: noon,
      updatedAt: noon,
      ...shownContext,
      turns: 2,
      totalTokens: 0,
      source: 'exec',
      archived: false,
      compressed: false,
    },
  ]);
});

it('pages through threads of the same moment without leaving one out', async () => {
  const home = new IndexHome();
  const ids = [1, 2, 3, 4, 5, 6, 7].map(uuid);
  for (const id of ids) home.write(id, [meta(id), ...turn('t', 'Hello')]);
  for (const sort of ['updated', 'created'] as const) {
    const pages: (readonly string[])[] = [];
    let cursor: string | undefined;
    do {
      const page = await home.index.list({ limit: 3, sort, ...(cursor === undefined ? {} : { cursor }) });
      if ('code' in page) throw new Error(page.message);
      pages.push(page.threads.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(pages).toEqual([ids.slice(4).toReversed(), ids.slice(1, 4).toReversed(), [ids[0]]]);
  }
});

it('orders by the time in the thread, not by the local time in its file name', async () => {
  const home = new IndexHome();
  const at = (hour: number): string => new Date(noon + hour * 3_600_000).toISOString();
  home.write(one, [meta(one, { timestamp: at(2) }), ...turn('t', 'later')], { folder: 'sessions/2026/01/01' });
  home.write(two, [meta(two, { timestamp: at(1) }), ...turn('t', 'earlier')], { folder: 'sessions/2026/01/03' });
  home.write(three, [meta(three, { timestamp: '2026-01-02T12-30-00' }), ...turn('t', 'old form')]);
  expect(await home.listed({ ...all, sort: 'created' })).toEqual([one, two, three]);
});

it('leaves out what is not asked for', async () => {
  const home = new IndexHome();
  const four = uuid(4);
  home.write(one, [meta(one), ...turn('t', 'Mend the roof')], { mtime: noon + 3 });
  home.write(two, [meta(two, { source: 'cli', cwd: '/else' }), says('user', 'Paint it')], { mtime: noon + 2 });
  home.write(three, [meta(three, { source: { subagent: 'review' } }), ...turn('t', 'Look')], { mtime: noon + 1 });
  home.write(four, [meta(four), ...turn('t', 'Gone')], { folder: 'archived_sessions' });
  appendFileSync(
    join(home.path, 'session_index.jsonl'),
    `${JSON.stringify({ id: two, thread_name: 'Roof', updated_at: 'x' })}\n`,
  );
  expect({
    default: await home.listed(),
    cwd: await home.listed({ ...all, cwd: '/else' }),
    cli: await home.listed({ ...all, source: 'cli' }),
    subagent: await home.listed({ ...all, source: 'subagent' }),
    everything: await home.listed({ ...all, source: 'all' }),
    archived: await home.listed({ ...all, archived: true }),
    text: await home.listed({ ...all, text: 'ROOF' }),
    none: await home.listed({ ...all, text: 'roof', cwd: '/nowhere' }),
  }).toEqual({
    default: [one, two],
    cwd: [two],
    cli: [two],
    subagent: [three],
    everything: [one, two, three],
    archived: [four],
    text: [one, two],
    none: [],
  });
  expect(await home.index.list({ ...all, cursor: 'page 2' })).toEqual({
    code: 'cursor-unknown',
    message: 'The cursor "page 2" is not valid.',
    next: 'Use the cursor that the previous page returned.',
  });
});

it('follows a thread that is archived, brought back or compressed', async () => {
  const home = new IndexHome();
  const path = home.write(one, [meta(one), ...turn('t', 'Hello')]);
  const seen = async (archived: boolean): Promise<readonly unknown[]> => {
    const page = await home.index.list({ ...all, archived });
    return 'threads' in page ? page.threads.map((t) => [t.id, t.archived, t.compressed, t.preview]) : [];
  };
  expect([await seen(false), await seen(true)]).toEqual([[[one, false, false, 'Hello']], []]);
  const shelf = join(home.path, 'archived_sessions');
  mkdirSync(shelf);
  renameSync(path, join(shelf, path.slice(path.lastIndexOf('/') + 1)));
  expect([await seen(false), await seen(true)]).toEqual([[], [[one, true, false, 'Hello']]]);
  renameSync(join(shelf, path.slice(path.lastIndexOf('/') + 1)), path);
  expect([await seen(false), await seen(true)]).toEqual([[[one, false, false, 'Hello']], []]);
  home.write(two, [meta(two), ...turn('t', 'Packed')], { compressed: true, mtime: noon + 1 });
  expect(await seen(false)).toEqual([
    [two, false, true, 'Packed'],
    [one, false, false, 'Hello'],
  ]);
});

it('counts turns past gaps in the numbers of lines, bad lines and lines of unknown types', async () => {
  const home = new IndexHome();
  const path = home.write(one, [meta(one), ...turn('t1', 'First')]);
  appendFileSync(path, 'not a line\n\n');
  home.grow(path, [['from_the_future', {}], ...turn('t2', 'Second')], { from: 900, mtime: noon });
  const page = await home.index.list(all);
  expect('threads' in page && page.threads.map(({ turns, preview }) => [turns, preview])).toEqual([[2, 'First']]);
});

it('shows the settings that the next turn starts from', async () => {
  const home = new IndexHome();
  const thread_settings = {
    model: 'next',
    cwd: '/next',
    approval_policy: 'never',
    permission_profile: { type: 'disabled' },
  };
  const ours = event('thread_settings_applied', { thread_settings: { ...thread_settings, capstan: {} } });
  home.write(one, [meta(one), ...turn('t', 'Ours'), ours]);
  home.write(two, [meta(two), ...turn('t', 'Foreign'), event('thread_settings_applied', { thread_settings })]);
  const settings = async (id: string): Promise<unknown> => {
    const { model, cwd, approval, sandbox, effort } = (await home.index.summary(id as never)) ?? {};
    return { model, cwd, approval, sandbox, effort };
  };
  const { mode: _mode, ...foreign } = shownContext;
  expect([await settings(one), await settings(two)]).toEqual([
    { model: 'next', cwd: '/next', approval: 'never', sandbox: 'danger-full-access', effort: undefined },
    foreign,
  ]);
  expect(await home.index.summary(three as never)).toBeUndefined();
});
