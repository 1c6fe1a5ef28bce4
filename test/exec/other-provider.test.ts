import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';

const env = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', OPENROUTER_API_KEY: 'k' };

/** A thread with a turn at the scripted provider, and what resumes it elsewhere. */
async function begun(more = '') {
  const { place, model } = await scene(() => answer({ items: [say('ok')] }), more);
  const path = join(place.home, 'config.toml');
  const tables = ['openai', 'anthropic', 'openrouter', 'mine'].map(
    (id) => `[model_providers.${id}]\nbase_url = "${model.url}"\nsupports_websockets = false\n`,
  );
  writeFileSync(path, `${readFileSync(path, 'utf8')}\n${tables.join('')}`);
  expect((await place.run('exec', 'one')).code).toBe(0);
  const resume = (...words: readonly string[]) => place.runWith({ env }, 'exec', 'resume', '--last', ...words, 'two');
  return { place, model, resume };
}

test.each([
  ['anthropic', [], 'claude-sonnet-4-5'],
  ['anthropic', ['-m', 'claude-opus-4-6'], 'claude-opus-4-6'],
  ['mine', [], 'gpt-5.5'],
])('a thread that is resumed at %s with %j asks %s', async (id, words, expected) => {
  const { model, resume } = await begun();
  const { code, stderr } = await resume('-c', `model_provider=${id}`, ...words);
  expect([code, stderr.includes(`${expected} via ${id}`)]).toEqual([0, true]);
  expect(model.requests.at(-1)?.body['model']).toBe(expected);
});

const efforts = ({ requests }: Pick<Awaited<ReturnType<typeof begun>>['model'], 'requests'>): readonly unknown[] =>
  requests.map(({ body }) => (body['reasoning'] as { effort?: string } | undefined)?.effort);

it('has the nearest effort of a model that lacks the one of the thread, and says so once', async () => {
  const { model, resume } = await begun();
  expect((await resume('-c', 'model_reasoning_effort="xhigh"')).stderr).not.toContain('effort');
  const there = ['-c', 'model_provider=anthropic', '-c', 'model_providers.anthropic.wire_api="responses"'];
  const first = await resume(...there);
  expect([first.code, first.stderr.split('has no reasoning effort "xhigh". Capstan uses "high".').length]).toEqual([
    0, 2,
  ]);
  expect((await resume(...there)).stderr).not.toContain('has no reasoning effort');
  expect(efforts(model).slice(1)).toEqual(['xhigh', 'high', 'high']);
});

it('sends no effort of another model to a model that Capstan does not know, and says so once', async () => {
  const { model, resume } = await begun();
  await resume('-c', 'model_reasoning_effort="xhigh"');
  const { stderr } = await resume('-m', 'llama-of-mine');
  const note = 'does not know the reasoning efforts of the model llama-of-mine, so it sends none instead of "xhigh"';
  expect(stderr.split(note).length).toBe(2);
  expect((await resume()).stderr).not.toContain('reasoning efforts');
  // An effort chosen for this model is sent.
  await resume('-c', 'model_reasoning_effort="minimal"');
  await resume();
  expect(efforts(model).slice(1)).toEqual(['xhigh', undefined, undefined, 'minimal', 'minimal']);
});

it('a new thread with -m has no effort that a file names for another model', async () => {
  const { place, model } = await begun('model_reasoning_effort = "xhigh"');
  const unknown = await place.run('exec', '-m', 'llama-of-mine', 'hi');
  expect([unknown.code, unknown.stderr]).toEqual([0, expect.stringContaining('sends none instead of "xhigh"')]);
  const known = await place.run('exec', '-m', 'claude-sonnet-4-5', 'hi');
  expect([known.code, known.stderr]).toEqual([0, expect.stringContaining('Capstan uses "high"')]);
  // The next turn is as the first one, and nothing new about it.
  const again = await place.run('exec', 'resume', '--last', 'hi');
  expect([again.code, again.stderr.includes('effort')]).toEqual([0, false]);
  const named = await place.run('exec', '-m', 'claude-sonnet-4-5', '-c', 'model_reasoning_effort="xhigh"', 'hi');
  expect([named.code, named.stderr]).toEqual([1, expect.stringContaining('has no reasoning effort "xhigh".')]);
  expect(efforts(model)).toEqual(['xhigh', undefined, 'high', 'high']);
});

test.each([
  ['anthropic', [], 'claude-sonnet-4-5'],
  ['anthropic', ['-m', 'claude-opus-4-6'], 'claude-opus-4-6'],
  ['mine', [], 'gpt-5.4'],
])('a new thread at %s with %j asks %s, not the model that a file names for another one', async (id, words, asked) => {
  const { place, model } = await begun();
  const path = join(place.home, 'config.toml');
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^model = .*$/m, 'model = "gpt-5.4"'));
  const { code, stderr } = await place.runWith({ env }, 'exec', '-c', `model_provider=${id}`, ...words, 'hi');
  expect([code, stderr]).toEqual([0, expect.stringContaining(`${asked} via ${id}`)]);
  expect(model.requests.at(-1)?.body['model']).toBe(asked);
});

it('a new thread is refused where the provider has no usual model, and names -m', async () => {
  const { place, model } = await begun();
  const { code, stderr } = await place.runWith({ env }, 'exec', '-c', 'model_provider=openrouter', 'hi');
  expect([code, stderr, model.requests.length]).toEqual([
    1,
    expect.stringContaining(
      'The model gpt-5.5 is named for another provider, and the provider "openrouter" has no usual one.',
    ),
    1,
  ]);
  expect(stderr).toContain('Name one of its models with -m.');
});

it('without any key, the login with ChatGPT is named first', async () => {
  const { place } = await begun();
  const { code, stderr } = await place.run('exec', '-c', 'model_provider=openai', 'hi');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('Sign in to ChatGPT with `capstan login`, or create a key'),
  ]);
});

it('asks the model that a file names for that provider', async () => {
  const { place, model, resume } = await begun();
  const path = join(place.home, 'config.toml');
  const text = readFileSync(path, 'utf8').replace(/^model = .*$/m, 'model = "claude-opus-4-6"');
  writeFileSync(path, text.replace(/^model_provider = .*$/m, 'model_provider = "anthropic"'));
  // Settings in a file are for new threads: this one keeps its own.
  expect((await resume()).code).toBe(0);
  expect(model.requests.at(-1)?.body['model']).toBe('gpt-5.5');
  expect((await resume('-c', 'model_provider=anthropic')).code).toBe(0);
  expect(model.requests.at(-1)?.body['model']).toBe('claude-opus-4-6');
});

it('is refused where the provider has no usual model, and names -m', async () => {
  const { model, resume } = await begun();
  const { code, stderr } = await resume('-c', 'model_provider=openrouter');
  expect([code, stderr, model.requests.length]).toEqual([1, expect.stringContaining('with -m'), 1]);
});
