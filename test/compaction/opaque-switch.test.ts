import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import {
  answer,
  httpError,
  type ItemDraft,
  type RecordedRequest,
  say,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { checkRebuilt } from '../laws/prefix-law.ts';
import { checkpointText, isCompaction, saysCheckpoint } from './summariser.ts';

/** One provider, and models that do not read what the others encrypted. */
const models: readonly JsonObject[] = [
  { slug: 'old', context_window: 200_000, base_instructions: 'You are old.', comp_hash: 'a' },
  { slug: 'new', context_window: 200_000, base_instructions: 'You are new.', comp_hash: 'b' },
  { slug: 'narrow', context_window: 24_000, base_instructions: 'You are narrow.', comp_hash: 'b' },
];
const task = 'Build the parser.';
const work = 'The parser reads one line. ';
const compactNow = { signal: new AbortController().signal };

const modelOf = ({ body }: RecordedRequest): string => String(body['model']);
const inputOf = ({ body }: RecordedRequest): readonly JsonObject[] => body['input'] as unknown as readonly JsonObject[];
const isOwn = (request: RecordedRequest): boolean => inputOf(request).at(-1)?.['type'] === 'compaction_trigger';
const textOf = ({ decodedBytes }: RecordedRequest): string => decodedBytes.toString('utf8');

function encrypted(type: string, by: string): ItemDraft {
  return {
    type,
    ...(type === 'reasoning' ? { summary: [] } : {}),
    encrypted_content: `encrypted by ${by} ${'A'.repeat(900)}`,
  };
}

interface Given {
  /** The number of times that an answer of the old model says what it did. */
  readonly times?: number;
  readonly thinks?: boolean;
  readonly readable?: (request: RecordedRequest) => ScriptStep;
}

const summary = (): ScriptStep => saysCheckpoint(checkpointText(task, [], 'The model sums up.'));

async function begun({ times = 400, thinks = true, readable = summary }: Given = {}): Promise<LiveThread> {
  const live = await LiveThread.in((request) => {
    const by = modelOf(request);
    if (isOwn(request)) return answer({ items: [encrypted('compaction', by)] });
    if (isCompaction(request)) return readable(request);
    const text = by === 'old' ? `Old says. ${work.repeat(times)}` : 'New says.';
    return answer({ items: [...(thinks ? [encrypted('reasoning', by)] : []), say(text)] });
  }, 'model_catalog_json = "models.json"\n[model_providers.scripted.server_capabilities]\nremote_compaction = true\n');
  writeFileSync(join(live.place.home, 'models.json'), JSON.stringify({ models }));
  await live.open({ config: ['model="old"', 'compaction.strategy="remote"'] });
  await live.turn(task);
  return live;
}

async function withCheckpoint(given?: Given, turns = 1): Promise<LiveThread> {
  const live = await begun(given);
  for (let turn = 1; turn < turns; turn++) await live.turn(`Go on ${turn}.`);
  expect((await live.thread.compact(compactNow)).kind).toBe('installed');
  return live;
}

function asked({ model }: LiveThread): readonly string[] {
  const kindOf = (each: RecordedRequest) =>
    isOwn(each) ? 'own checkpoint' : isCompaction(each) ? 'checkpoint' : 'step';
  return model.requests.map((each) => `${modelOf(each)} ${kindOf(each)}`);
}

/** Checks that no model got what another one encrypted with which it is not compatible. */
async function check(live: LiveThread): Promise<void> {
  const others = (own: RegExp, by: string) =>
    live.model.requests.filter((each) => own.test(modelOf(each)) && textOf(each).includes(`encrypted by ${by}`));
  expect(others(/new|narrow/, 'old').map(modelOf)).toEqual([]);
  expect(others(/old/, 'new').map(modelOf)).toEqual([]);
  await live.close();
  await checkRebuilt(live.model, live.place.lines());
}

describe('a checkpoint that a model encrypted, before a model that is not compatible', () => {
  test('is opened: the history behind it is used', async () => {
    const live = await withCheckpoint({ thinks: false });
    await live.thread.overrideTurnContext({ model: 'new' });
    expect((await live.turn('Go on here.')).kind).toBe('completed');
    expect(asked(live)).toEqual(['old step', 'old own checkpoint', 'new step']);
    expect(textOf(live.model.requests.at(-1)!)).toContain('Old says.');
    expect(live.told('warning').map(({ outcome }) => outcome.code)).toEqual(['history-reopened']);
    await check(live);
  });

  test('where thoughts stand behind it, the model before compacts that history in readable form', async () => {
    const live = await withCheckpoint();
    await live.thread.overrideTurnContext({ model: 'new' });
    await live.turn('Go on here.');
    expect(asked(live)).toEqual(['old step', 'old own checkpoint', 'old checkpoint', 'new step']);
    expect(textOf(live.model.requests.at(-1)!)).toContain('The model sums up.');
    await check(live);
  });

  test('stays opened in another process, and for the model before when it is back', async () => {
    const live = await withCheckpoint({ thinks: false });
    await live.open({ config: ['model="new"'] });
    await live.turn('Go on here.');
    await live.open({ config: ['model="new"'] });
    await live.turn('And on.');
    await live.open({ config: ['model="old"'] });
    await live.turn('Back again.');
    expect(asked(live).slice(2)).toEqual(['new step', 'new step', 'old step']);
    const [before, now, back] = live.model.requests.slice(2).map(inputOf);
    expect(now!.slice(0, before!.length)).toEqual(before);
    expect(JSON.stringify(back)).toContain('Old says.');
    await check(live);
  });

  test('is put into words by the model before, where the history behind it is too long', async () => {
    const live = await withCheckpoint({ times: 1100 }, 4);
    await live.thread.overrideTurnContext({ model: 'narrow' });
    expect((await live.turn('Go on here.')).kind).toBe('completed');
    expect(asked(live).slice(5)).toEqual(['old checkpoint', 'narrow step']);
    expect(live.told('checkpoint-installed').at(-1)?.report).toMatchObject({
      reason: 'comp_hash_changed',
      strategy: 'structured',
      model: 'old',
    });
    await check(live);
  });

  test('is read in parts by the new model, where the one before is gone', async () => {
    const gone = httpError({ status: 404, body: { error: { message: 'There is no such model.' } } });
    const live = await withCheckpoint(
      { times: 1100, readable: (request) => (modelOf(request) === 'old' ? gone : summary()) },
      4,
    );
    await live.thread.overrideTurnContext({ model: 'narrow' });
    expect((await live.turn('Go on here.')).kind).toBe('completed');
    expect(asked(live).at(-2)).toBe('narrow checkpoint');
    expect(live.told('checkpoint-installed').at(-1)?.report).toMatchObject({ model: 'narrow', strategy: 'structured' });
    await check(live);
  });

  test('is not sent where nothing stands behind it, and no model can be asked', async () => {
    const live = await withCheckpoint({ thinks: false, readable: () => httpError({ status: 404 }) });
    await live.rewrite((lines) => {
      const newest = lines.findLastIndex(({ type }) => type === 'compacted');
      return [lines[0]!, ...lines.slice(newest)];
    });
    await live.open({ config: ['model="new"'] });
    expect(await live.turn('Go on here.')).toMatchObject({ kind: 'failed', outcome: { code: 'history-opaque' } });
    expect(await live.turn('And on.')).toMatchObject({ kind: 'failed', outcome: { code: 'history-opaque' } });
    expect(asked(live).filter((each) => each.startsWith('new'))).toEqual([]);
  });

  test('is opened where another stood behind it when the thread was opened', async () => {
    const live = await withCheckpoint({ thinks: false });
    await live.open({ config: ['model="old"', 'compaction.strategy="remote"'] });
    await live.turn('More.');
    expect((await live.thread.compact(compactNow)).kind).toBe('installed');
    await live.thread.overrideTurnContext({ model: 'new' });
    await live.turn('Go on here.');
    expect(asked(live).at(-1)).toBe('new step');
    expect(textOf(live.model.requests.at(-1)!).match(/Old says/g)).toHaveLength(2);
    await check(live);
  });

  test('is made again by the new model, by hand', async () => {
    const live = await withCheckpoint({ thinks: false });
    await live.open({ config: ['model="new"'] });
    expect((await live.thread.compact(compactNow)).kind).toBe('installed');
    await live.turn('Go on here.');
    expect(asked(live)).toEqual(['old step', 'old own checkpoint', 'new checkpoint', 'new step']);
    await check(live);
  });
});

describe('where nothing is encrypted', () => {
  test('the model before compacts what is too much for the window of the next, readably', async () => {
    const live = await begun({ times: 1100, thinks: false });
    for (const message of ['Go.', 'Go on.', 'Go on again.']) await live.turn(message);
    await live.thread.overrideTurnContext({ model: 'narrow' });
    expect((await live.turn('Go on here.')).kind).toBe('completed');
    expect(asked(live).slice(4)).toEqual(['old checkpoint', 'narrow step']);
    expect(live.told('checkpoint-installed').at(-1)?.report).toMatchObject({
      reason: 'model_downshift',
      strategy: 'structured',
      model: 'old',
    });
    await check(live);
  });
});

describe('where a model only encrypted thoughts', () => {
  test('it is never asked for a checkpoint that it encrypts', async () => {
    const live = await begun();
    await live.thread.overrideTurnContext({ model: 'new' });
    await live.turn('Go on here.');
    expect(asked(live)).toEqual(['old step', 'old checkpoint', 'new step']);
    await check(live);
  });

  test('the new model may encrypt its own, where the one before is gone', async () => {
    const live = await begun({ readable: () => httpError({ status: 404 }) });
    await live.thread.overrideTurnContext({ model: 'new' });
    expect((await live.turn('Go on here.')).kind).toBe('completed');
    expect(asked(live)).toEqual(['old step', 'old checkpoint', 'new own checkpoint', 'new step']);
    await check(live);
  });

  test('a short history stays, without the thoughts, which are there again for their model', async () => {
    const live = await begun({ times: 1 });
    await live.thread.overrideTurnContext({ model: 'new' });
    await live.turn('Go on here.');
    await live.thread.overrideTurnContext({ model: 'old' });
    await live.turn('Back again.');
    expect(asked(live)).toEqual(['old step', 'new step', 'old step']);
    expect(textOf(live.model.requests.at(-1)!)).toContain('encrypted by old');
    await check(live);
  });
});
