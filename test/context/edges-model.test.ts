import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { LiveThread } from '../harness/live-thread.ts';

const yes = () => answer({ items: [say('Yes.')] });
/** Those of steps: models of two generations do not read each other's history, and a switch between them compacts it. */
const bodies = ({ model }: LiveThread) =>
  model.requests.filter((request) => !isCompaction(request)).map(({ body }) => body);
const switches = (live: LiveThread) =>
  live.model.requests.map((_, request) =>
    live
      .added(request)
      .flat()
      .filter((text) => text.startsWith('<model_switch>')),
  );

/** Models besides those that are known anyway. */
async function withModels(models: readonly JsonObject[], more = ''): Promise<LiveThread> {
  const live = await LiveThread.in(yes, `model_catalog_json = "models.json"\n${more}`);
  writeFileSync(join(live.place.home, 'models.json'), JSON.stringify({ models }));
  writeFileSync(join(live.place.home, 'own.md'), 'You are mine.');
  await live.open();
  return live;
}

/** Without the requests for checkpoints, which a switch to an incompatible model brings with it. */
function talk(live: LiveThread): readonly JsonObject[] {
  return bodies(live).filter(({ tool_choice: choice }) => choice !== 'none');
}

describe('an unknown model', () => {
  it('is reported when the thread is opened, and works with general values', async () => {
    const live = await LiveThread.in(yes);
    await live.open({ config: ['model="mystery"', 'service_tier="gold"'] });
    expect(live.notices).toEqual([expect.objectContaining({ code: 'model-unknown' })]);
    await live.turn('one');
    const { model, reasoning, text, service_tier: tier } = bodies(live)[0]!;
    expect([model, reasoning, text, tier]).toEqual(['mystery', {}, undefined, 'gold']);
    expect(live.told('usage')[0]).toMatchObject({ effectiveWindow: 258_400 });
  });

  it('is reported when a caller changes to it', async () => {
    const live = await LiveThread.in(yes);
    await live.turn('one');
    await live.thread.overrideTurnContext({ model: 'mystery' });
    await live.turn('two');
    await live.turn('three');
    expect(live.told('warning').map(({ outcome }) => outcome.code)).toEqual(['model-unknown']);
  });
});

describe('another model', () => {
  it('keeps an effort that it has, and else has the nearest one', async () => {
    const live = await LiveThread.in(yes);
    await live.open({ config: ['model="gpt-5.6-sol"', 'model_reasoning_effort="high"'] });
    for (const change of [{}, { model: 'gpt-5.5' }, { model: 'gpt-5.6-sol', effort: 'max' }, { model: 'gpt-5.4' }]) {
      await live.thread.overrideTurnContext(change);
      await live.turn('go');
    }
    expect(talk(live).map(({ model, reasoning }) => [model, reasoning])).toEqual([
      ['gpt-5.6-sol', { effort: 'high' }],
      ['gpt-5.5', { effort: 'high' }],
      ['gpt-5.6-sol', { effort: 'max' }],
      ['gpt-5.4', { effort: 'xhigh' }],
    ]);
  });

  it('that a flag names for a resumed thread is treated alike; an effort that a flag names must be one that it has', async () => {
    const live = await LiveThread.in(yes);
    await live.open({ config: ['model="gpt-5.6-sol"', 'model_reasoning_effort="max"'] });
    await live.turn('one');
    await live.open({ config: ['model="gpt-5.4"'] });
    await live.turn('two');
    await expect(live.open({ config: ['model="gpt-5.4"', 'model_reasoning_effort="max"'] })).rejects.toThrow(
      'The model gpt-5.4 has no reasoning effort "max".',
    );
    await live.open({ config: ['model="gpt-5.4"', 'model_reasoning_effort="low"'] });
    await live.turn('three');
    expect(talk(live).map(({ reasoning }) => reasoning)).toEqual([
      { effort: 'max' },
      { effort: 'xhigh' },
      { effort: 'low' },
    ]);
  });

  it('is reported by one event that says what came with it', async () => {
    const live = await LiveThread.in(yes);
    await live.open({ config: ['service_tier="ultrafast"', 'model="gpt-5.6-sol"', 'model_reasoning_effort="max"'] });
    await live.turn('one');
    await live.thread.overrideTurnContext({ model: 'gpt-5.4-mini' });
    await live.turn('two');
    await live.turn('three');
    expect(live.told('model-switched')).toEqual([
      {
        kind: 'model-switched',
        turnId: live.told('turn-started')[1]!.turnId,
        from: 'gpt-5.6-sol',
        to: 'gpt-5.4-mini',
        changes: [
          { field: 'identity.effort', from: 'max', to: 'xhigh' },
          { field: 'identity.verbosity', from: 'low', to: 'medium' },
          { field: 'identity.serviceTier', from: 'ultrafast' },
          {
            field: 'identity.model.supportedEfforts',
            from: ['low', 'medium', 'high', 'xhigh', 'max', 'ultra'],
            to: ['low', 'medium', 'high', 'xhigh'],
          },
        ],
      },
    ]);
  });
});

describe('a service tier', () => {
  it('goes by its names, and is left out where the model has none', async () => {
    const live = await LiveThread.in(yes);
    await live.open();
    const changes = [
      { serviceTier: 'fast' },
      { serviceTier: 'gold' },
      { serviceTier: 'flex' },
      { model: 'gpt-5.4-mini' },
      { model: 'gpt-5.5' },
      { serviceTier: null },
    ];
    for (const change of changes) {
      await live.thread.overrideTurnContext(change);
      await live.turn('go');
    }
    expect(bodies(live).map((body) => body['service_tier'])).toEqual([
      'priority',
      undefined,
      'flex',
      undefined,
      'flex',
      undefined,
    ]);
    expect(live.told('warning').map(({ outcome }) => outcome.message)).toEqual([
      expect.stringContaining('"gold"'),
      expect.stringContaining('"flex"'),
    ]);
  });

  it('that the model lacks is not forgotten by a resume', async () => {
    const live = await LiveThread.in(yes);
    await live.open();
    await live.thread.overrideTurnContext({ serviceTier: 'flex', model: 'gpt-5.4-mini' });
    await live.turn('one');
    await live.open();
    await live.thread.overrideTurnContext({ model: 'gpt-5.5' });
    await live.turn('two');
    expect(bodies(live).map((body) => body['service_tier'])).toEqual([undefined, 'flex']);
  });
});

describe('a model that only reads', () => {
  const picture = { path: 'a.png', dataUrl: 'data:image/png;base64,AAAA' };

  it('gets words in the place of pictures, and no tool to look at them; another one has them back', async () => {
    const live = await withModels([{ slug: 'blind', input_modalities: ['text'] }]);
    await live.turn('', { input: { author: 'user', text: 'Look.', images: [picture] } });
    await live.thread.overrideTurnContext({ model: 'blind' });
    await live.turn('two');
    await live.thread.overrideTurnContext({ model: 'gpt-5.5' });
    await live.turn('three');
    const looks = [0, 1, 2].map((request) =>
      live
        .rows(request)
        .find((row) => row.includes('Look.'))!
        .slice(2, -2),
    );
    const words = '[A picture stands here. It was left out because this model takes no pictures.]';
    expect(looks).toEqual([['input_image'], [words], ['input_image']]);
    const tools = bodies(live).map(({ tools: offered }) =>
      (offered as unknown as JsonObject[]).map(({ name }) => name),
    );
    expect(tools.map((names) => names.includes('view_image'))).toEqual([true, false, true]);
    expect(live.told('prefix-broken').map(({ breaks }) => breaks.map(({ kind }) => kind))).toEqual([
      ['setting', 'tools', 'entry'],
      ['setting', 'tools', 'entry'],
    ]);
  });
});

describe('guidance of a model’s own', () => {
  const models = [
    { slug: 'one', base_instructions: 'You are One.' },
    { slug: 'two', base_instructions: 'You are Two.' },
  ];

  it('is told when the model changes and taken back when it changes again; the start of requests stays', async () => {
    const live = await withModels(models, 'personality = "friendly"');
    for (const model of ['one', 'two', 'two', 'one']) {
      await live.thread.overrideTurnContext({ model });
      await live.turn('go');
    }
    // The thread began with the model of the file, and its first turn ran under another.
    const instructions = new Set(bodies(live).map((body) => body['instructions']));
    expect([...instructions]).toEqual([expect.stringContaining('You are Capstan')]);
    expect(switches(live)).toEqual([
      [expect.stringContaining('You are One.')],
      [expect.stringContaining('You are Two.')],
      [],
      [expect.stringContaining('You are One.')],
    ]);
  });

  it('says nothing where the instructions were chosen', async () => {
    const live = await withModels(models, 'model_instructions_file = "own.md"');
    await live.turn('one');
    await live.thread.overrideTurnContext({ model: 'two' });
    await live.turn('two');
    expect(switches(live)).toEqual([[], []]);
  });

  it('comes with a manner of speech that changed with it: both are told', async () => {
    const live = await withModels(models);
    await live.turn('one');
    await live.thread.overrideTurnContext({ model: 'two', personality: 'pragmatic' });
    await live.turn('two');
    expect(live.layout(1).slice(1)).toEqual([
      ['developer', 'model-switch'],
      ['developer', 'personality'],
      ['user', 'two'],
    ]);
  });

  it('is gone with a turn that is rolled back, and told once by the next', async () => {
    const live = await withModels(models);
    await live.turn('one');
    await live.thread.overrideTurnContext({ model: 'two' });
    await live.turn('two');
    await live.rewrite((lines) => [
      ...lines,
      { type: 'event_msg', payload: { type: 'thread_rolled_back', num_turns: 1 } },
    ]);
    await live.open({ config: ['model="two"'] });
    await live.turn('again');
    expect(live.rows(2).length).toBe(live.rows(1).length);
    expect(
      live
        .rows(2)
        .flat()
        .filter((text) => text.startsWith('<model_switch>')).length,
    ).toBe(1);
  });
});
