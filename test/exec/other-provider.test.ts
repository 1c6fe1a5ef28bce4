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

it('keeps no effort that the other model lacks', async () => {
  const { model, resume } = await begun();
  expect((await resume('-c', 'model_reasoning_effort="xhigh"')).code).toBe(0);
  expect(
    (await resume('-c', 'model_provider=anthropic', '-c', 'model_providers.anthropic.wire_api="responses"')).code,
  ).toBe(0);
  expect(model.requests.map(({ body }) => (body['reasoning'] as { effort?: string }).effort).slice(1)).toEqual([
    'xhigh',
    'medium',
  ]);
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
  // What a file says is for new threads: this one stays where it is.
  expect((await resume()).code).toBe(0);
  expect(model.requests.at(-1)?.body['model']).toBe('gpt-5.5');
  expect((await resume('-c', 'model_provider=anthropic')).code).toBe(0);
  expect(model.requests.at(-1)?.body['model']).toBe('claude-opus-4-6');
});

it('is refused where the provider has no usual model, and names -m', async () => {
  const { model, resume } = await begun();
  const { code, stderr } = await resume('-c', 'model_provider=openrouter');
  expect([code, stderr, model.requests.length]).toEqual([1, expect.stringContaining('or use -m'), 1]);
});
