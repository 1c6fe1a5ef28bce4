import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { ThreadEvent } from '../../src/index.ts';
import { answer, callTool, httpError, say, startScriptedModel } from '../../src/testing/index.ts';
import { formats } from '../formats/formats.ts';
import { checkThread, FormatThread } from '../formats/format-thread.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const noCredit = httpError({
  status: 429,
  body: {
    error: { message: 'You exceeded your current quota.', type: 'insufficient_quota', code: 'insufficient_quota' },
  },
});
const done = answer({ items: [say('Done.')] });
const plan = answer({ items: [callTool('update_plan', { plan: [] })] });
const fallback = 'model_fallback = "gpt-5.4"\n';

const models = (live: LiveThread): readonly unknown[] => live.model.requests.map(({ body }) => body['model']);
const of = <Kind extends ThreadEvent['kind']>(live: LiveThread, kind: Kind) =>
  live.events.filter((event): event is Extract<ThreadEvent, { kind: Kind }> => event.kind === kind);

describe.each(formats)('$title', (format) => {
  it('another model continues a turn whose model has no quota, from where it was', async () => {
    const thread = await FormatThread.in(format, [plan, noCredit, done, done], { config: fallback });
    await thread.open();
    const { live } = thread;
    expect(await live.turn('Plan it.')).toEqual({ kind: 'completed', lastMessage: 'Done.' });
    expect(models(live)).toEqual(['gpt-5.5', 'gpt-5.5', 'gpt-5.4']);
    expect(thread.added(2).at(-1)).toEqual([
      'user',
      expect.stringContaining('Continue from where the conversation stands.'),
    ]);
    expect(thread.said(2).some(([, text]) => text.includes('Plan it.'))).toBe(true);
    expect(of(live, 'model-switched')).toMatchObject([{ from: 'gpt-5.5', to: 'gpt-5.4' }]);
    expect(of(live, 'turn-failed')).toHaveLength(1);
    expect(of(live, 'warning').map(({ outcome }) => outcome.code)).toEqual(['model-fallback']);
    expect(live.thread).toMatchObject({ settings: { model: 'gpt-5.5' }, standIn: { model: 'gpt-5.4' } });
    // The quota is still used up: the next message goes to the other model at once.
    expect(await live.turn('And now?')).toMatchObject({ kind: 'completed' });
    expect(models(live).at(-1)).toBe('gpt-5.4');
    await checkThread(thread);
  });
});

it('a compaction by hand asks the model that answers while the quota of the configured one is used up', async () => {
  const long = answer({ items: [say('Resting. '.repeat(2000))] });
  const summary = answer({ items: [say('The user said one. Nothing is left to do.')] });
  const live = await LiveThread.in([noCredit, long, summary], `${fallback}compaction.strategy = "plain"\n`);
  await live.open();
  await live.turn('one');
  const result = await live.thread.compact({ signal: new AbortController().signal });
  expect(result.kind).toBe('installed');
  expect(models(live)).toEqual(['gpt-5.5', 'gpt-5.4', 'gpt-5.4']);
  expect(live.thread.settings.model).toBe('gpt-5.5');
});

const busy = httpError({ status: 529, body: '{}' });

it('after an overload the next message goes to the configured model again, also after a resume', async () => {
  const live = await LiveThread.in([busy, done, done, done], fallback);
  const overrides = [`model_providers.scripted.request_max_retries=0`, `model_providers.scripted.stream_max_retries=0`];
  await live.open({ config: overrides });
  await live.turn('one');
  expect(live.thread.standIn).toBeUndefined();
  await live.turn('two');
  await live.open({ config: overrides });
  await live.turn('three');
  expect(models(live)).toEqual(['gpt-5.5', 'gpt-5.4', 'gpt-5.5', 'gpt-5.5']);
});

it('a turn of a smaller model that leaves little space is followed by no compaction of the configured one', async () => {
  const model = (slug: string, context_window: number) => ({ slug, context_window, supported_reasoning_levels: [] });
  const long = answer({
    items: [say('word '.repeat(3000))],
    usage: { input: 12_800, cachedInput: 0, output: 3000, total: 15_800 },
  });
  const usual = answer({ items: [say('word '.repeat(4000))], usage: { input: 5000, cachedInput: 0, output: 4000 } });
  const live = await LiveThread.in([usual, usual, noCredit, long, noCredit, done], 'model_fallback = "tiny"\n');
  const catalogue = join(live.place.home, 'models.json');
  writeFileSync(catalogue, JSON.stringify({ models: [model('gpt-5.5', 272_000), model('tiny', 16_000)] }));
  await live.open({ config: [`model_catalog_json="${catalogue}"`] });
  for (const text of ['one', 'two', 'three']) await live.turn(text);
  expect(live.thread.isCompactingItself).toBe(false);
  expect(models(live)).toEqual(['gpt-5.5', 'gpt-5.5', 'gpt-5.5', 'tiny']);
  expect(of(live, 'checkpoint-started')).toEqual([]);
});

it('a model that Capstan does not know gets an effort once a catalogue lists its efforts, as the warning says', async () => {
  const live = await LiveThread.in([noCredit, done, noCredit, done], 'model_fallback = "of-mine"\n');
  const effort = 'model_reasoning_effort="high"';
  await live.open({ config: [effort] });
  await live.turn('one');
  const changed = of(live, 'warning').filter(({ outcome }) => outcome.code === 'effort-changed');
  expect(changed.map(({ outcome }) => outcome.next)).toEqual([expect.stringContaining('(model_catalog_json)')]);
  const levels = [{ effort: 'low' }, { effort: 'high' }];
  const listed = ['gpt-5.5', 'of-mine'].map((slug) => ({ slug, supported_reasoning_levels: levels }));
  const catalogue = join(live.place.home, 'models.json');
  writeFileSync(catalogue, JSON.stringify({ models: listed }));
  await live.open({ config: [effort, `model_catalog_json="${catalogue}"`] });
  await live.turn('two');
  expect(
    live.model.requests.map(({ body }) => [body['model'], (body['reasoning'] as { effort?: string })?.effort]),
  ).toEqual([
    ['gpt-5.5', 'high'],
    ['of-mine', undefined],
    ['gpt-5.5', 'high'],
    ['of-mine', 'high'],
  ]);
});

it.each([
  ['of a turn', 'max_turn_cost = 5'],
  ['of a thread', 'max_thread_cost = 5'],
])(
  'a model without a known price does not take over under a limit on the cost %s, and is not announced',
  async (_, limit) => {
    const live = await LiveThread.in(
      [noCredit, done],
      `${limit}\nmodel_fallback = "of-mine"\nmodel_prices."scripted/gpt-5.5" = { input = 1, output = 1 }\n`,
    );
    await live.open();
    expect(await live.turn('one')).toMatchObject({ kind: 'failed', outcome: { code: 'usage-limit' } });
    expect(of(live, 'warning').map(({ outcome }) => outcome)).toEqual([
      {
        code: 'model-fallback-unusable',
        message:
          'The model of model_fallback cannot be used: A limit on cost is set, and no price is known for of-mine from scripted.',
        next: expect.stringContaining('Add [model_prices."scripted/of-mine"]'),
      },
    ]);
    expect([of(live, 'turn-started').length, of(live, 'turn-failed')]).toMatchObject([1, [{}]]);
    expect(of(live, 'turn-failed')[0]).not.toHaveProperty('continuedBy');
    expect(models(live)).toEqual(['gpt-5.5']);
  },
);

it('another provider in another format continues', async () => {
  const other = await startScriptedModel([done]);
  whenTestEnds(() => other.close());
  const live = await LiveThread.in([noCredit], '');
  const overrides = [
    'model_fallback={ model = "claude-sonnet-4-5", provider = "other" }',
    `model_providers.other={ name = "Other", base_url = "${other.url}", wire_api = "anthropic" }`,
  ];
  await live.open({ config: overrides });
  expect(await live.turn('Go.')).toEqual({ kind: 'completed', lastMessage: 'Done.' });
  expect(other.requests).toHaveLength(1);
  expect(JSON.stringify(other.requests[0]!.body)).toContain('Go.');
  expect(live.thread.state.envelope).toMatchObject({ identity: { provider: 'other', modelClient: 'anthropic' } });
});

test.each([
  ['a key that is refused', httpError({ status: 401, body: '{}' })],
  ['a request that is wrong', httpError({ status: 400, body: { error: { message: 'no', param: 'x' } } })],
])('%s is not passed on to another model', async (_, step) => {
  const live = await LiveThread.in([step, done], fallback);
  expect(await live.turn('one')).toMatchObject({ kind: 'failed' });
  expect(models(live)).toEqual(['gpt-5.5']);
});

it('one model takes over once: if it fails, too, the turn has failed', async () => {
  const live = await LiveThread.in([noCredit, noCredit, done], fallback);
  expect(await live.turn('one')).toMatchObject({ kind: 'failed', outcome: { code: 'usage-limit' } });
  expect(models(live)).toEqual(['gpt-5.5', 'gpt-5.4']);
});

it('a fallback that cannot be used is reported, and the turn fails as it did', async () => {
  const live = await LiveThread.in([noCredit], 'model_fallback = { model = "m", provider = "nowhere" }\n');
  expect(await live.turn('one')).toMatchObject({ kind: 'failed', outcome: { code: 'usage-limit' } });
  const problem = {
    code: 'model-fallback-unusable',
    message: expect.stringContaining('There is no provider "nowhere"') as string,
    next: 'Correct model_fallback in config.toml, or the table of its provider.',
  };
  expect(live.notices).toEqual([problem]);
  expect(of(live, 'warning').map(({ outcome }) => outcome)).toMatchObject([problem]);
});

it('what the failed turn spent counts against the limit of the one that continues it', async () => {
  const large = answer({
    items: [callTool('update_plan', { plan: [] })],
    usage: { input: 20_000, cachedInput: 0, output: 0 },
  });
  const live = await LiveThread.in([large, noCredit, done], fallback);
  await live.open({}, { limits: { turnTokens: 44_000 } });
  await live.turn('one');
  expect(live.thread.state.envelope).toMatchObject({
    identity: { model: { slug: 'gpt-5.4' } },
    policy: { limits: { turnTokens: 44_000, continued: { tokens: 20_000 } } },
  });
});

it('the limit that ends a turn which continues another is named as it was set, with what both used', async () => {
  const large = answer({
    items: [callTool('update_plan', { plan: [] })],
    usage: { input: 20_000, cachedInput: 0, output: 0 },
  });
  const live = await LiveThread.in([large, noCredit, large, done], fallback);
  await live.open({}, { limits: { turnTokens: 44_000 } });
  expect(await live.turn('one')).toMatchObject({
    kind: 'failed',
    outcome: {
      message: expect.stringContaining('could pass max_turn_tokens (44,000 tokens): 40,000 tokens used so far'),
    },
  });
});

it.each([['""'], ['{ provider = "x" }'], ['{ model = "m", other = 1 }'], ['5']])(
  'model_fallback = %s is an error',
  async (value) => {
    const live = await LiveThread.in([], `model_fallback = ${value}\n`);
    const run = await live.place.run('exec', 'go');
    expect(run.stderr).toContain('model_fallback must be the name of a model, or { model = "NAME", provider = "ID" }');
  },
);
