import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import {
  answer,
  httpError,
  overflow,
  type RecordedRequest,
  reason,
  say,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { checkpointText, isCompaction, saysCheckpoint } from './summariser.ts';

const models: readonly JsonObject[] = [
  { slug: 'large', context_window: 200_000, base_instructions: 'You are large.' },
  { slug: 'small', context_window: 60_000, base_instructions: 'You are small.' },
  { slug: 'old', context_window: 60_000, base_instructions: 'You are old.', comp_hash: 'a' },
  { slug: 'new', context_window: 60_000, base_instructions: 'You are new.', comp_hash: 'b' },
];
const request = 'Build the parser.';
const work = `Done so far. ${'The parser reads one line. '.repeat(300)}`;

/** A thread of one turn with the model `from`, in which the provider counted so many tokens. */
async function begun(
  from: string,
  tokens: number,
  checkpoint: (request: RecordedRequest) => ScriptStep = () => saysCheckpoint(checkpointText(request, [])),
  items = [say(work)],
): Promise<LiveThread> {
  let steps = 0;
  const live = await LiveThread.in((asked) => {
    if (isCompaction(asked)) return checkpoint(asked);
    return steps++ === 0
      ? answer({ items, usage: { input: tokens, total: tokens + 10 } })
      : answer({ items: [say('Yes.')] });
  }, 'model_catalog_json = "models.json"\n');
  writeFileSync(join(live.place.home, 'models.json'), JSON.stringify({ models }));
  await live.open({ config: [`model="${from}"`] });
  await live.turn(request);
  return live;
}

/** The requests, each by its model and its kind. */
function asked({ model }: LiveThread): readonly string[] {
  return model.requests.map((each) => `${String(each.body['model'])} ${isCompaction(each) ? 'checkpoint' : 'step'}`);
}

const guidance = (live: LiveThread, at: number) =>
  live
    .rows(at)
    .flat()
    .filter((text) => text.includes('<model_switch>'));
const instructions = ({ model }: LiveThread) => model.requests.map(({ body }) => body['instructions']);

describe('a switch to a smaller window', () => {
  test('is compacted by the model before, and the new one begins with its own instructions', async () => {
    const live = await begun('large', 70_000);
    await live.thread.overrideTurnContext({ model: 'small' });
    await live.turn('Go on.');
    await live.turn('And on.');
    expect(asked(live)).toEqual(['large step', 'large checkpoint', 'small step', 'small step']);
    expect(instructions(live)).toEqual(['You are large.', 'You are large.', 'You are small.', 'You are small.']);
    // The request for the checkpoint continues from what the model before has in its cache.
    const [step, checkpoint] = live.model.requests.map(({ decodedBytes }) => decodedBytes.toString('utf8'));
    expect(checkpoint!.startsWith(step!.slice(0, step!.lastIndexOf('],"stream"')))).toBe(true);
    // Instructions at the start of the request are not told a second time.
    expect([guidance(live, 2), guidance(live, 3)]).toEqual([[], []]);
    expect(live.layout(3)).toEqual([
      ['assistant', 'Yes.'],
      ['user', 'And on.'],
    ]);
    expect(live.told('checkpoint-installed').map(({ report }) => report)).toMatchObject([
      { reason: 'model_downshift', phase: 'pre_turn', trigger: 'auto', model: 'large', strategy: 'structured' },
    ]);
    expect(live.told('prefix-broken').map(({ breaks }) => breaks)).toMatchObject([[{ kind: 'checkpoint' }]]);
    const { instructions: contract } = live.thread.state.envelope!;
    expect(contract).toMatchObject({ base: { text: 'You are small.', provenance: { model: 'small' } } });
    expect(contract).not.toHaveProperty('model');
  });

  test('does so after a resume, too', async () => {
    const live = await begun('large', 70_000);
    await live.open({ config: ['model="small"'] });
    await live.turn('Go on.');
    await live.open();
    await live.turn('And on.');
    expect(asked(live)).toEqual(['large step', 'large checkpoint', 'small step', 'small step']);
    expect(instructions(live)).toEqual(['You are large.', 'You are large.', 'You are small.', 'You are small.']);
    expect([guidance(live, 2), guidance(live, 3)]).toEqual([[], []]);
  });

  test('keeps history, and the instructions at the start, when all of it fits', async () => {
    const live = await begun('large', 10_000);
    await live.thread.overrideTurnContext({ model: 'small' });
    await live.turn('Go on.');
    expect(asked(live)).toEqual(['large step', 'small step']);
    expect(instructions(live)).toEqual(['You are large.', 'You are large.']);
    expect(guidance(live, 1)).toEqual([expect.stringContaining('You are small.')]);
  });

  test('and back again is no reason', async () => {
    const live = await begun('small', 40_000);
    await live.thread.overrideTurnContext({ model: 'large' });
    await live.turn('Go on.');
    expect(asked(live)).toEqual(['small step', 'large step']);
  });
});

describe('a switch to a model that does not read what the other wrote', () => {
  test('is compacted by the model before, if there is something that only that one reads', async () => {
    const live = await begun('old', 3000, undefined, [reason('Thought.'), say(work)]);
    await live.thread.overrideTurnContext({ model: 'new' });
    await live.turn('Go on.');
    expect(asked(live)).toEqual(['old step', 'old checkpoint', 'new step']);
    expect(instructions(live)).toEqual(['You are old.', 'You are old.', 'You are new.']);
    expect(live.told('checkpoint-installed').map(({ report }) => report.reason)).toEqual(['comp_hash_changed']);
  });

  test.each([
    ['nothing stands that only that one reads', [say(work)]],
    ['a checkpoint could not be smaller', [reason('Thought.'), say('Yes.')]],
  ])('costs no checkpoint where %s', async (_name, items) => {
    const live = await begun('old', 3000, undefined, items);
    await live.thread.overrideTurnContext({ model: 'new' });
    await live.turn('Go on.');
    expect(asked(live)).toEqual(['old step', 'new step']);
    expect(live.told('checkpoint-failed')).toEqual([]);
  });

  test('needs no compaction where one of the two says nothing', async () => {
    const live = await begun('old', 3000);
    await live.thread.overrideTurnContext({ model: 'small' });
    await live.turn('Go on.');
    expect(asked(live)).toEqual(['old step', 'small step']);
  });
});

describe('a model before that is gone', () => {
  const gone = (status: number) => httpError({ status, body: { error: { message: 'There is no such model.' } } });
  test.each([
    ['404', gone(404)],
    ['400', gone(400)],
    ['403', gone(403)],
    ['full', overflow('status')],
  ])('%s: the next model compacts history itself', async (_name, refusal) => {
    const live = await begun('large', 63_000, ({ body }) =>
      body['model'] === 'large' ? refusal : saysCheckpoint(checkpointText(request, [])),
    );
    await live.thread.overrideTurnContext({ model: 'small' });
    const result = await live.turn('Go on.');
    expect(result.kind).toBe('completed');
    // By what the provider counted, its window holds history only in two parts.
    const twice = ['small checkpoint', 'small checkpoint'];
    expect(asked(live)).toEqual(['large step', 'large checkpoint', ...twice, 'small step']);
    expect(live.told('checkpoint-installed').map(({ report }) => report)).toMatchObject([
      { reason: 'model_downshift', model: 'small', strategy: 'structured', requests: 3 },
    ]);
    expect(live.model.requests.at(-1)!.body['instructions']).toBe('You are small.');
    expect(guidance(live, 4)).toEqual([]);
  });
});

test('a compaction by hand after a switch is the new model’s, and the next turn begins with its instructions', async () => {
  const live = await begun('large', 10_000);
  await live.thread.overrideTurnContext({ model: 'small' });
  await live.thread.compact({ signal: new AbortController().signal });
  await live.turn('Go on.');
  expect(asked(live)).toEqual(['large step', 'small checkpoint', 'small step']);
  expect(instructions(live)).toEqual(['You are large.', 'You are large.', 'You are small.']);
  expect(guidance(live, 2)).toEqual([]);
});
