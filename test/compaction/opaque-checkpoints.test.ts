import { describe, expect, test } from 'vitest';
import { words } from '../../src/index.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import type { LineDraft } from '../../src/protocol/line.ts';
import { answer, httpError, say } from '../../src/testing/index.ts';
import { aFew } from './adversary/told.ts';
import { checkBoth, makerSays, task, textOf, TwoProviders } from './two-providers.ts';

const long = 30_000;
const garbage = () => answer({ items: [say('the '.repeat(8000))] });
const compactNow = { signal: new AbortController().signal };

describe('a provider that cannot read a checkpoint of another', () => {
  test('gets the history behind it, and no provider is asked for anything', async () => {
    const two = await TwoProviders.set();
    await two.withCheckpoints();
    await two.live.turn('And the tests.');
    two.asked();
    await two.openWith('scripted');
    expect((await two.live.turn('Go on here.')).kind).toBe('completed');
    expect(two.asked()).toEqual({ maker: [], reader: ['step'] });
    const read = two.read();
    for (const text of [task, 'And the tests.', 'Go on here.'])
      expect(read.filter((one) => one === text)).toEqual([text]);
    expect(read.filter((text) => String(text).startsWith('Maker'))).toEqual([
      expect.stringContaining(makerSays(1)),
      expect.stringContaining(makerSays(2)),
    ]);
    expect(two.live.told('warning').map(({ outcome }) => outcome.code)).toContain('history-reopened');
    expect(two.live.told('prefix-broken').at(-1)?.breaks).toMatchObject([{ kind: 'reopened' }]);
    await checkBoth(two);
  });

  test('continues from there in another process, and so does the maker when it is back', async () => {
    const two = await TwoProviders.set();
    await two.withCheckpoints();
    await two.openWith('scripted');
    await two.live.turn('Go on here.');
    const before = two.reader.requests.at(-1)!.body['input'] as unknown as readonly unknown[];
    await two.openWith('scripted');
    await two.live.turn('And on.');
    const now = two.reader.requests.at(-1)!.body['input'] as unknown as readonly unknown[];
    expect(now.slice(0, before.length)).toEqual(before);
    await two.openWith('maker');
    await two.live.turn('Back again.');
    expect(two.asked().maker).toEqual(['step', 'own checkpoint', 'step']);
    // Its own thoughts are there again, and no checkpoint is in the way of what was said.
    const last = JSON.stringify(two.maker.requests.at(-1)!.body['input']);
    expect([last.includes('a thought of maker'), last.includes('checkpoint 1 of maker')]).toEqual([true, false]);
    expect(last).toContain('Reader.');
    await checkBoth(two);
  });

  test('gets all of it where several such checkpoints follow each other', async () => {
    const two = await TwoProviders.set();
    await two.withCheckpoints(3);
    await two.openWith('scripted');
    await two.live.turn('Go on here.');
    const read = two.read().map(String);
    expect(read.filter((text) => text.startsWith('Maker')).map((text) => text.slice(0, 16))).toEqual(
      [1, 2, 3].map((number) => makerSays(number).slice(0, 16)),
    );
    expect(read.filter((text) => text === task)).toHaveLength(1);
    await checkBoth(two);
  });

  test('finds a summary by the maker in its place, if the history behind it is too long to be read at once', async () => {
    const two = await TwoProviders.set({ bytes: long });
    await two.withCheckpoints(1, 4);
    two.asked();
    await two.openWith('scripted', 'small');
    expect((await two.live.turn('Go on here.')).kind).toBe('completed');
    expect(two.asked()).toEqual({ maker: ['checkpoint'], reader: ['step'] });
    expect(two.read().some((text) => String(text).includes('The maker sums up.'))).toBe(true);
    expect(two.live.told('checkpoint-installed').at(-1)?.report).toMatchObject({
      reason: 'provider_changed',
      phase: 'pre_turn',
      strategy: 'structured',
      model: 'large',
    });
    // Only what it has seen before, and what it can read itself.
    // The checkpoint gave the model its own instructions to begin with: they are not told once more.
    const { instructions, input } = two.reader.requests.at(-1)!.body;
    expect([instructions, JSON.stringify(input).includes('You are small.')]).toEqual(['You are small.', false]);
    const question = JSON.stringify(two.maker.requests.at(-1)!.body);
    expect([question.includes('Go on here.'), question.includes('checkpoint 1 of maker')]).toEqual([false, true]);
    await two.openWith('scripted', 'small');
    await two.live.turn('And on.');
    expect(two.asked()).toEqual({ maker: [], reader: ['step'] });
    await checkBoth(two);
  });

  test.each([
    ['is not configured any more', {}, undefined],
    ['stands at another address', {}, 'http://127.0.0.1:9/v1'],
    ['refuses', { maker: () => httpError({ status: 401 }) }, 'same'],
    ['answers with garbage', { maker: garbage }, 'same'],
  ] as const)('reads what is too long in parts, if the maker %s', async (_name, behaviour, url) => {
    const two = await TwoProviders.set({ bytes: long, ...behaviour });
    await two.withCheckpoints(1, 4);
    if (url !== 'same') two.configureMaker(url);
    two.asked();
    await two.openWith('scripted', 'small');
    expect((await two.live.turn('Go on here.')).kind).toBe('completed');
    const { maker, reader } = two.asked();
    expect(maker.length).toBeLessThanOrEqual(url === 'same' ? 3 : 0);
    expect(reader.slice(0, -1).every((kind) => kind === 'checkpoint')).toBe(true);
    expect(reader.at(-1)).toBe('step');
    expect(reader.length - 1).toEqual(aFew);
    expect(two.read().some((text) => String(text).includes(task))).toBe(true);
    await checkBoth(two);
  });
});

describe('where nothing stands behind the checkpoint', () => {
  test('its maker is asked for a summary', async () => {
    const two = await TwoProviders.set();
    await two.withCheckpoints();
    await two.forgetBehind();
    two.asked();
    await two.openWith('scripted');
    expect((await two.live.turn('Go on here.')).kind).toBe('completed');
    expect(two.asked()).toEqual({ maker: ['checkpoint'], reader: ['step'] });
    expect(two.read().some((text) => String(text).includes('The maker sums up.'))).toBe(true);
    await checkBoth(two);
  });

  test('the turn is refused without a maker, and the command that is named helps', async () => {
    const two = await TwoProviders.set();
    await two.withCheckpoints();
    await two.forgetBehind();
    two.configureMaker(undefined);
    const lines = two.live.place.lines().length;
    two.asked();
    await two.openWith('scripted');
    const refused = await two.live.turn('Go on here.');
    expect(refused).toMatchObject({
      kind: 'failed',
      outcome: { code: 'history-opaque', message: expect.stringContaining(`"maker" at ${two.maker.url}`) },
    });
    expect(two.asked()).toEqual({ maker: [], reader: [] });
    await two.live.close();
    expect(two.live.place.lines()).toHaveLength(lines);
    const { next } = (refused as { outcome: { next: string } }).outcome;
    const [, command] = /`capstan (.*?)`/.exec(next)!;
    two.configureMaker(two.maker.url);
    const made = await two.live.place.run(...command!.split(' '));
    expect([made.code, made.stderr]).toEqual([0, expect.any(String)]);
    expect(two.asked()).toEqual({ maker: ['checkpoint'], reader: [] });
    two.configureMaker(undefined);
    await two.openWith('scripted');
    expect((await two.live.turn('Go on here.')).kind).toBe('completed');
    expect(two.asked()).toEqual({ maker: [], reader: ['step'] });
    await checkBoth(two);
  });

  test.each([
    ['refuses', () => httpError({ status: 401 })],
    ['answers with garbage', garbage],
  ])('the turn ends before anything is sent, if the maker %s', async (_name, maker) => {
    const two = await TwoProviders.set({ maker });
    await two.withCheckpoints();
    await two.forgetBehind();
    two.asked();
    await two.openWith('scripted');
    expect(await two.live.turn('Go on here.')).toMatchObject({ kind: 'failed', outcome: { code: 'history-opaque' } });
    const { maker: requests, reader } = two.asked();
    expect([requests.length <= 3, reader]).toEqual([true, []]);
    // Nothing is lost: the maker finds its own checkpoint, and what was said since.
    await two.openWith('maker');
    await two.live.turn('Back again.');
    const last = JSON.stringify(two.maker.requests.at(-1)!.body['input']);
    expect([last.includes('checkpoint 1 of maker'), last.includes('Go on here.')]).toEqual([true, true]);
    await checkBoth(two);
  });
});

describe('a compaction by hand with another provider', () => {
  test('makes a checkpoint from the history behind the one that cannot be read', async () => {
    const two = await TwoProviders.set();
    await two.withCheckpoints();
    two.asked();
    await two.openWith('scripted');
    expect((await two.live.thread.compact(compactNow)).kind).toBe('installed');
    expect(two.asked()).toEqual({ maker: [], reader: ['checkpoint'] });
    await two.live.turn('Go on here.');
    await checkBoth(two);
  });

  test('has the maker make it, where nothing stands behind', async () => {
    const two = await TwoProviders.set();
    await two.withCheckpoints();
    await two.forgetBehind();
    two.asked();
    await two.openWith('scripted');
    expect((await two.live.thread.compact(compactNow)).kind).toBe('installed');
    expect(two.asked()).toEqual({ maker: ['checkpoint'], reader: [] });
    await two.live.turn('Go on here.');
    await checkBoth(two);
  });

  test('is refused without both', async () => {
    const two = await TwoProviders.set();
    await two.withCheckpoints();
    await two.forgetBehind();
    two.configureMaker(undefined);
    two.asked();
    await two.openWith('scripted');
    expect(await two.live.thread.compact(compactNow)).toMatchObject({
      kind: 'failed',
      outcome: { code: 'history-opaque' },
    });
    expect(two.asked()).toEqual({ maker: [], reader: [] });
    await checkBoth(two);
  });
});

test('what only another provider can read of thoughts is not sent, and is there again when that one continues', async () => {
  const two = await TwoProviders.set();
  await two.openWith('maker');
  await two.live.turn(task);
  await two.openWith('scripted');
  await two.live.turn('Go on here.');
  await two.openWith('maker');
  await two.live.turn('Back again.');
  const last = JSON.stringify(two.maker.requests.at(-1)!.body['input']);
  expect([last.includes('a thought of maker'), last.includes('Reader.')]).toEqual([true, true]);
  expect(two.asked()).toEqual({ maker: ['step', 'step'], reader: ['step'] });
  await checkBoth(two);
});

test('the same id at another address is another provider', async () => {
  const two = await TwoProviders.set();
  await two.withCheckpoints();
  two.configureMaker(two.reader.url);
  await two.openWith('maker');
  await two.live.turn('Go on here.');
  expect(two.asked().reader).toEqual(['step']);
  expect(two.read()).toContain(task);
  await checkBoth(two);
});

test('a fork with another provider gets the history behind the checkpoint, too', async () => {
  const two = await TwoProviders.set();
  await two.withCheckpoints();
  await two.live.turn('And the tests.');
  await two.live.close();
  two.asked();
  const engine = await two.live.engine({ config: ['model_provider="scripted"', 'model="large"'] });
  const forked = await engine.fork(two.live.id, { kind: 'latest' }, { listener: () => {} });
  if (forked.kind === 'refused') throw new Error(forked.outcome.message);
  await forked.thread.run({ input: words('Go on here.'), ...compactNow });
  await forked.thread.close();
  expect(two.asked()).toEqual({ maker: [], reader: ['step'] });
  expect(two.read()).toEqual(expect.arrayContaining([task, 'And the tests.', 'Go on here.']));
  expect(two.reader.requests.map(textOf).join()).not.toContain('of maker');
});

test('a checkpoint in the middle of a turn is no other', async () => {
  let wished: Promise<unknown> | undefined;
  const two = await TwoProviders.set({
    calls: () => {
      wished ??= two.live.thread.compact(compactNow);
    },
  });
  await two.openWith('maker', 'large', ['compaction.strategy="remote"']);
  await two.live.turn(task);
  await wished;
  expect(two.live.told('checkpoint-installed').map(({ report }) => report.phase)).toEqual(['mid_turn']);
  await two.openWith('scripted');
  await two.live.turn('Go on here.');
  expect(two.read().filter((one) => one === task)).toEqual([task]);
  await checkBoth(two);
});

test('a switch to a smaller model of another provider asks no provider for a model that it does not run', async () => {
  const two = await TwoProviders.set({ bytes: long });
  await two.openWith('maker');
  for (let turn = 0; turn < 4; turn++) await two.live.turn(`${task} ${turn}`);
  two.asked();
  await two.openWith('scripted', 'small');
  expect((await two.live.turn('Go on here.')).kind).toBe('completed');
  const { maker, reader } = two.asked();
  expect([maker, reader.at(-1)]).toEqual([[], 'step']);
  expect(new Set(two.reader.requests.map(({ body }) => body['model']))).toEqual(new Set(['small']));
  await checkBoth(two);
});

test('a rollback to before the switch brings the checkpoint back to its maker', async () => {
  const two = await TwoProviders.set();
  await two.withCheckpoints();
  await two.openWith('scripted');
  await two.live.turn('Go on here.');
  await two.live.close();
  const engine = await two.live.engine();
  expect((await engine.stored.rollback(two.live.id, { turns: 1 })).kind).toBe('rolled-back');
  two.asked();
  await two.openWith('maker');
  await two.live.turn('Back again.');
  const last = JSON.stringify(two.maker.requests.at(-1)!.body['input']);
  expect([last.includes('checkpoint 1 of maker'), last.includes('Reader.')]).toEqual([true, false]);
});

describe('a thread of another program, with a checkpoint of the provider', () => {
  /** Nothing of ours in it: the id of the provider stands in the settings, and no address. */
  async function byCodex(two: TwoProviders, more: (meta: JsonObject) => JsonObject = (meta) => meta): Promise<void> {
    await two.withCheckpoints();
    await two.live.turn('And the tests.');
    await two.live.rewrite((lines) =>
      lines
        .filter(({ type }) => !type.startsWith('capstan_'))
        .map(({ type, payload }, index): LineDraft => {
          const { capstan: _capstan, replacement_history_metadata: _beside, ...shared } = payload;
          const settings = shared['thread_settings'];
          if (!isJsonObject(settings)) return { type, payload: index === 0 ? more(shared) : shared };
          const { capstan: _ours, ...theirs } = settings;
          return { type, payload: { ...shared, thread_settings: theirs } };
        }),
    );
    two.asked();
  }

  test('is sent to that provider as it is', async () => {
    const two = await TwoProviders.set();
    await byCodex(two);
    await two.openWith('maker');
    await two.live.turn('Go on.');
    expect(two.asked()).toEqual({ maker: ['step'], reader: [] });
    const last = JSON.stringify(two.maker.requests.at(-1)!.body['input']);
    expect([last.includes('checkpoint 1 of maker'), last.includes('a thought of maker')]).toEqual([true, true]);
  });

  test('is used from behind it by another', async () => {
    const two = await TwoProviders.set();
    await byCodex(two);
    await two.openWith('scripted');
    await two.live.turn('Go on here.');
    expect(two.asked()).toEqual({ maker: [], reader: ['step'] });
    expect(two.read()).toEqual(expect.arrayContaining([task, 'And the tests.', 'Go on here.']));
    expect(two.reader.requests.map(textOf).join()).not.toContain('of maker');
  });

  test('is used from behind it by that provider, too, if the file was brought here from elsewhere', async () => {
    const two = await TwoProviders.set();
    await byCodex(two, (meta) => ({ ...meta, capstan: { imported: 'a-name' } }));
    await two.openWith('maker');
    await two.live.turn('Go on.');
    expect(two.asked()).toEqual({ maker: ['step'], reader: [] });
    const last = JSON.stringify(two.maker.requests.at(-1)!.body['input']);
    expect([last.includes('of maker'), last.includes(task)]).toEqual([false, true]);
  });

  test('is refused if the file begins with it, and an address is not known to be the same', async () => {
    const two = await TwoProviders.set();
    await byCodex(two, (meta) => ({ ...meta, capstan: { imported: 'a-name' } }));
    await two.forgetBehind();
    for (const provider of ['maker', 'scripted'] as const) {
      await two.openWith(provider);
      expect(await two.live.turn('Go on.')).toMatchObject({ kind: 'failed', outcome: { code: 'history-opaque' } });
    }
    expect(two.asked()).toEqual({ maker: [], reader: [] });
  });
});
