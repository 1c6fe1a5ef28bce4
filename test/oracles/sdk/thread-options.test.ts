import type { ApprovalMode, CyberAccessProgram, ModelReasoningEffort, ThreadOptions } from '@openai/codex-sdk';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { answer, say } from '../../../src/testing/index.ts';
import { type Program, programs, stage } from './stage.ts';

const ok = answer({ items: [say('ok')] });

/** The body of the request that a thread with these options sends. */
async function requested(program: Program, options: ThreadOptions): Promise<JsonObject> {
  const { model, start } = await stage(program, [ok]);
  expect((await start(options).run('Go.')).finalResponse).toBe('ok');
  return model.requests[0]!.body;
}

it.each(programs)('%s: the model is the one that was named', async (program) => {
  const { model } = await requested(program, { model: 'gpt-5.6-sol' });
  expect(model).toBe('gpt-5.6-sol');
});

/** Two names are of this side of the wire only. */
const sent: Readonly<Record<Exclude<ModelReasoningEffort, 'minimal'>, string>> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
  ultra: 'max',
  persistent: 'disabled',
};

it.each(Object.entries(sent))('the effort %s is sent as %s', async (chosen, effort) => {
  const options = { model: 'gpt-5.6-sol', modelReasoningEffort: chosen as ModelReasoningEffort };
  const bodies = await Promise.all(programs.map((program) => requested(program, options)));
  expect(bodies.map(({ reasoning }) => (reasoning as JsonObject)['effort'])).toEqual([effort, effort]);
});

it('an effort that the model does not have is sent by Codex, and refused by Capstan with those it has', async () => {
  const options = { model: 'gpt-5.6-sol', modelReasoningEffort: 'minimal' as const };
  expect((await requested('codex', options)).reasoning).toMatchObject({ effort: 'minimal' });
  await expect(requested('capstan', options)).rejects.toThrow(/has no reasoning effort "minimal".*low, medium/s);
});

const policies: readonly ApprovalMode[] = ['never', 'on-request', 'on-failure'];

it.each(policies)('with the approval policy %s the user is not asked', async (approvalPolicy) => {
  const inForce = programs.map(async (program) => {
    const { place, start } = await stage(program, [ok]);
    expect((await start({ approvalPolicy }).run('Go.')).finalResponse).toBe('ok');
    return place.lines().find(({ type }) => type === 'turn_context')?.payload['approval_policy'];
  });
  expect(await Promise.all(inForce)).toEqual(['never', 'never']);
});

it('the approval policy untrusted is refused by Codex; Capstan takes it, and asks nothing without a surface for it', async () => {
  const codex = await stage('codex', []);
  await expect(codex.start({ approvalPolicy: 'untrusted' }).run('Go.')).rejects.toThrow(
    /exited with code 1: .*approval_policy/s,
  );
  expect(codex.model.requests).toEqual([]);
  const capstan = await stage('capstan', [answer({ items: [say('Done.')] })]);
  expect((await capstan.start({ approvalPolicy: 'untrusted' }).run('Go.')).finalResponse).toBe('Done.');
});

/** The effect of the options about the web on the tool. */
const searches: readonly (readonly [ThreadOptions, access: boolean | undefined])[] = [
  [{ webSearchMode: 'live' }, true],
  [{ webSearchMode: 'cached' }, false],
  [{ webSearchMode: 'disabled' }, undefined],
  [{ webSearchEnabled: true }, true],
  [{ webSearchEnabled: false }, undefined],
  [{ webSearchEnabled: true, webSearchMode: 'disabled' }, undefined],
];

it.each(searches)('web search %o: both programs offer the same tool', async (options, access) => {
  const tools = await Promise.all(
    programs.map(async (program) => (await requested(program, options))['tools'] as readonly JsonObject[]),
  );
  const found = tools.map((list) => list.find(({ type }) => type === 'web_search')?.['external_web_access']);
  expect(found).toEqual([access, access]);
});

it.each(programs)('%s: the thread source stands in the first line of the thread', async (program) => {
  const { place, start } = await stage(program, [ok, ok, ok]);
  const thread = start({ threadSource: 'nightly' });
  await thread.run('One.');
  await thread.run('Two.');
  await start().run('Another.');
  const sources = place
    .lines()
    .flatMap(({ type, payload }) => (type === 'session_meta' ? [payload['thread_source']] : []));
  expect(sources.toSorted()).toEqual(['nightly', 'user']);
});

describe('the cyber access program', () => {
  const names: readonly CyberAccessProgram[] = ['standard', 'daybreak_blue', 'daybreak_red'];

  it.each(names)('%s is passed on to OpenAI for one turn', async (cyberAccessProgram) => {
    const { model, place, codex } = await stage('capstan', [ok, ok]);
    const options = { baseUrl: model.url, apiKey: 'a-key', config: { model_provider: 'openai' } };
    const thread = codex(options).startThread({ workingDirectory: place.workspace });
    await thread.run('One.', { cyberAccessProgram });
    await thread.run('Two.');
    expect(model.requests.map(({ body }) => body['access_programs'])).toEqual([
      { cyber: cyberAccessProgram },
      undefined,
    ]);
    const contexts = place.lines().filter(({ type }) => type === 'turn_context');
    expect(contexts.map(({ payload }) => payload['cyber_access_program'])).toEqual([cyberAccessProgram, undefined]);
  });

  it.each(programs)('%s: is kept from other providers', async (program) => {
    const { model, start } = await stage(program, [ok]);
    await start().run('Go.', { cyberAccessProgram: 'standard' });
    expect(model.requests[0]!.body).not.toHaveProperty('access_programs');
  });
});
