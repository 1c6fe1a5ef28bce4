import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { checkThread, FormatThread } from './format-thread.ts';
import { type Format, formats } from './formats.ts';

const plan = answer({ items: [callTool('update_plan', { plan: [] })] });
const done = answer({ items: [say('Done.')] });
const of = (thread: FormatThread): readonly JsonObject[] => thread.live.model.requests.map(({ body }) => body);

function sampled({ wire }: Format, body: JsonObject): readonly unknown[] {
  return [body['temperature'], body[wire === 'anthropic' ? 'stop_sequences' : 'stop']];
}

const keys = ['temperature=0.2', 'stop=["END"]', 'models.other.temperature=0', 'models.other.stop=[]'];
const configured = keys.map((key) => `model_providers.scripted.${key}`);

describe.each(formats)('$title', (format) => {
  it('says nothing of sampling where nothing is configured', async () => {
    const thread = await FormatThread.in(format, [done]);
    await thread.open();
    await thread.live.turn('Go.');
    expect(sampled(format, of(thread)[0]!)).toEqual([undefined, undefined]);
  });

  it('sends what the provider and the model are configured with, and replays it', async () => {
    const thread = await FormatThread.in(format, [plan, done, done, done]);
    const overrides = [...configured, 'model_reasoning_effort="none"'];
    await thread.open({}, { config: [...overrides, 'model="made-up"'] });
    await thread.live.turn('Go.');
    await thread.open({}, { config: [...overrides, 'model="other"'] });
    await thread.live.turn('And now?');
    expect(of(thread).map((body) => sampled(format, body))).toEqual([
      [0.2, ['END']],
      [0.2, ['END']],
      [0, undefined],
    ]);
    await checkThread(thread);
  });
});

it('a model of the Messages API that thinks gets no temperature, which the API would refuse', async () => {
  const format = formats.find(({ wire }) => wire === 'anthropic')!;
  const thread = await FormatThread.in(format, [done]);
  await thread.open({}, { config: [...configured, 'model="claude-sonnet-4-5"', 'model_reasoning_effort="high"'] });
  await thread.live.turn('Go.');
  expect(of(thread)[0]).toHaveProperty('thinking');
  expect(sampled(format, of(thread)[0]!)).toEqual([undefined, ['END']]);
});

it('another temperature breaks no cached prefix', async () => {
  const live = await LiveThread.in([done, done]);
  await live.open({ config: ['model_providers.scripted.temperature=0.2'] });
  await live.turn('one');
  await live.open({ config: ['model_providers.scripted.temperature=1.5'] });
  await live.turn('two');
  expect(live.model.requests.map(({ body }) => body['temperature'])).toEqual([0.2, 1.5]);
  expect(live.events.filter(({ kind }) => kind === 'prefix-broken')).toEqual([]);
});

test.each([
  ['temperature=3', 'temperature must be a number from 0 to 2'],
  ['temperature="hot"', 'temperature must be a number from 0 to 2'],
  ['stop="END"', 'stop must be a list of strings'],
  ['models.m.temperature=-1', 'temperature must be a number from 0 to 2'],
])('%s is an error', async (key, message) => {
  const live = await LiveThread.in([]);
  const run = await live.place.run('exec', '-c', `model_providers.scripted.${key}`, 'go');
  expect(run.stderr).toContain(message);
});

it('rerun asks another model with the values of that model', async () => {
  const live = await LiveThread.in([done, done]);
  // The file ends with the table of the provider.
  appendFileSync(join(live.place.home, 'config.toml'), '\ntemperature = 0.2\nmodels.other.temperature = 0\n');
  await live.turn('one');
  await live.place.run('rerun', live.id, '--step', '1', '--model', 'other');
  expect(live.model.requests.map(({ body }) => body['temperature'])).toEqual([0.2, 0]);
});
