import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { all, bytesOf, event, IndexHome, meta, noon, says, turn, uuid } from './index-home.ts';

const one = uuid(1);
const two = uuid(2);
const three = uuid(3);

it('finds what a user or the model said, and shows where', async () => {
  const home = new IndexHome();
  home.write(one, [
    meta(one),
    ...turn('t1', 'Where is the "blue" lamp?', 'In the   cellar, behind the BOXES.'),
    ...turn('t2', 'Thanks', '東京の天気は晴れです, ÖL'),
  ]);
  home.write(two, [
    meta(two),
    says('user', '<environment_context>\n  <cwd>/cellar</cwd>\n</environment_context>'),
    ...turn('t1', 'A lamp, please'),
  ]);
  const found = await home.index.search('cellar boxes', all);
  expect('hits' in found && found.hits.map(({ thread, ...hit }) => ({ id: thread.id, ...hit }))).toEqual([
    { id: one, turn: 1, role: 'assistant', excerpt: 'In the cellar, behind the BOXES.' },
  ]);
  expect({
    part: await home.found('ellar'),
    both: await home.found('LAMP'),
    phrase: await home.found('"the cellar"'),
    notSo: await home.found('"cellar the"'),
    quotes: await home.found('blue'),
    short: await home.found('is'),
    percent: await home.found('%'),
    characters: await home.found('天気は'),
    twoCharacters: await home.found('天気'),
    twoSmallLetters: await home.found('öl'),
    filtered: await home.found('lamp', { ...all, text: 'please' }),
    nobody: await home.found('bulb'),
  }).toEqual({
    part: [one],
    both: [two, one],
    phrase: [one],
    notSo: [],
    quotes: [one],
    short: [one],
    percent: [],
    characters: [one],
    twoCharacters: [one],
    twoSmallLetters: [one],
    filtered: [two],
    nobody: [],
  });
  expect(await home.index.search('  ', all)).toMatchObject({ code: 'search-empty' });
});

it('finds what a user pasted, whatever it looks like, where the line says whose it is', async () => {
  const home = new IndexHome();
  const pasted = '<environment_context>\n  <cwd>/cellar</cwd>\n</environment_context>';
  const path = home.write(one, [meta(one), event('task_started', { turn_id: 't1' })]);
  const [type, payload] = says('user', pasted);
  const metadata = { capstan: { turn: 't1', origin: { family: 'user' } } };
  appendFileSync(path, `${JSON.stringify({ timestamp: new Date(noon).toISOString(), type, payload, metadata })}\n`);
  expect(await home.found('cellar')).toEqual([one]);
  expect(await home.index.summary(one as never)).toMatchObject({ preview: expect.stringContaining('/cellar') });
});

it('finds in forks and reverts what they took over, and nothing that was taken back', async () => {
  const home = new IndexHome();
  const lines = [meta(one), ...turn('t1', 'apples'), ...turn('t2', 'bananas')];
  const source = home.write(one, lines);
  const half = bytesOf(lines.slice(0, 6));
  home.write(two, [meta(two, home.base(source, one, 6, half)), ...turn('t3', 'cherries')], { from: 6 });
  home.write(one, [meta(one, home.base(source, one, 6, half)), ...turn('t4', 'dates')], { rollout: three, from: 6 });
  expect({
    apples: await home.found('apples'),
    bananas: await home.found('bananas'),
    cherries: await home.found('cherries'),
    dates: await home.found('dates'),
  }).toEqual({ apples: [two, one], bananas: [], cherries: [two], dates: [one] });
});

it('loses what a rollback takes back, also when it comes later', async () => {
  const home = new IndexHome();
  const path = home.write(one, [meta(one), ...turn('t1', 'apples'), ...turn('t2', 'bananas')]);
  expect([await home.found('apples'), await home.found('bananas')]).toEqual([[one], [one]]);
  home.grow(path, [event('thread_rolled_back', { num_turns: 1 }), ...turn('t3', 'cherries')], {
    from: 11,
    mtime: noon + 1,
  });
  expect([await home.found('apples'), await home.found('bananas'), await home.found('cherries')]).toEqual([
    [one],
    [],
    [one],
  ]);
});

it('says each thing once, though old files say it twice', async () => {
  const home = new IndexHome();
  home.write(
    one,
    [
      meta(one, { history_mode: 'legacy' }),
      says('user', 'apples'),
      event('user_message', { message: 'apples' }),
      event('agent_message', { message: 'pears' }),
    ],
    { from: 'none' },
  );
  const found = await home.index.search('apples', all);
  expect('hits' in found && found.hits.map(({ turn: number, role }) => [number, role])).toEqual([[1, 'user']]);
  expect(await home.found('pears')).toEqual([one]);
});

it('keeps nothing of a thread that was deleted', async () => {
  const home = new IndexHome();
  const path = home.write(one, [meta(one), ...turn('t1', 'a secret pomegranate')]);
  home.write(two, [meta(two), ...turn('t1', 'harmless')]);
  expect(await home.found('pomegranate')).toEqual([one]);
  rmSync(path);
  expect(await home.listed()).toEqual([two]);
  expect(readFileSync(home.database).includes('pomegranate')).toBe(false);
});

it('pages through what it finds', async () => {
  const home = new IndexHome();
  const ids = [1, 2, 3].map(uuid);
  for (const id of ids) home.write(id, [meta(id), ...turn('t', 'apples')]);
  const first = await home.index.search('apples', { ...all, limit: 2 });
  if ('code' in first || first.next === undefined) throw new Error('there must be more');
  expect(first.hits.map(({ thread }) => thread.id)).toEqual([ids[2], ids[1]]);
  expect(await home.found('apples', { ...all, limit: 2, cursor: first.next })).toEqual([ids[0]]);
});
