import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CodexOptions, ThreadOptions } from '@openai/codex-sdk';
import { expect, it, vi } from 'vitest';
import { answer, callTool, say } from '../../../src/testing/index.ts';
import { programs, stage, type Stage, variablesFor } from './stage.ts';

const ok = answer({ items: [say('ok')] });
const command = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });

/** The output of the first command of a turn. */
async function outputIn({ place, codex }: Stage, options: CodexOptions, thread: ThreadOptions = {}) {
  const { items } = await codex(options)
    .startThread({ workingDirectory: place.workspace, ...thread })
    .run('Go.');
  return items.flatMap((item) => (item.type === 'command_execution' ? [item.aggregated_output] : [])).join('');
}

it.each(programs)('%s: config sets text, numbers, flags, lists and tables', async (program) => {
  const set = await stage(program, [command('echo "$ONE/$TWO"; touch ../more/x && ls ../more'), ok]);
  const more = join(set.place.root, 'more');
  mkdirSync(more);
  const config = {
    model: 'gpt-5.6-sol',
    model_reasoning_effort: 'high',
    project_doc_max_bytes: 0,
    sandbox_workspace_write: { writable_roots: [more], network_access: false },
    shell_environment_policy: { set: { ONE: 'it\'s "one"', TWO: 'two\\2' } },
  };
  writeFileSync(join(set.place.workspace, 'AGENTS.md'), 'Never say never.\n');
  expect(await outputIn(set, { config })).toBe('it\'s "one"/two\\2\nx\n');
  expect(set.model.requests[0]!.body).toMatchObject({ model: 'gpt-5.6-sol', reasoning: { effort: 'high' } });
  expect(JSON.stringify(set.model.requests[0]!.body['input'])).not.toContain('Never say never.');
});

it.each(programs)('%s: config defines and chooses a permission profile', async (program) => {
  const set = await stage(program, [
    command('for at in ../more/x docs/x here; do touch "$at" && echo "made $at"; done 2>/dev/null; true'),
    ok,
  ]);
  const more = join(set.place.root, 'more');
  for (const folder of [more, join(set.place.workspace, 'docs')]) mkdirSync(folder);
  // Temporary folders are closed: the places of the test are among them.
  const filesystem = {
    ':slash_tmp': 'read',
    ':tmpdir': 'read',
    [more]: 'write',
    ':workspace_roots': { docs: 'read' },
  };
  writeFileSync(join(set.place.home, 'config.toml'), withoutMode(set));
  const config = { default_permissions: 'dev', permissions: { dev: { extends: ':workspace', filesystem } } };
  expect(await outputIn(set, { config })).toBe('made ../more/x\nmade here\n');
});

/** A mode in the same file would stand beside the profile. */
function withoutMode({ place }: Stage): string {
  return readFileSync(join(place.home, 'config.toml'), 'utf8').replace(/^sandbox_mode = .*\n/m, '');
}

it.each(programs)('%s: raw overrides beat config, and the options of a thread beat both', async (program) => {
  const set = await stage(program, [ok, ok, ok]);
  const config = { model: 'gpt-5.5', model_reasoning_effort: 'low' };
  const configOverrides = ['model="gpt-5.6-sol"', 'model_reasoning_effort=medium'];
  await outputIn(set, { config });
  await outputIn(set, { config, configOverrides });
  await outputIn(set, { config, configOverrides }, { model: 'gpt-5.6-luna', modelReasoningEffort: 'high' });
  expect(set.model.requests.map(({ body }) => body)).toMatchObject([
    { model: 'gpt-5.5', reasoning: { effort: 'low' } },
    { model: 'gpt-5.6-sol', reasoning: { effort: 'medium' } },
    { model: 'gpt-5.6-luna', reasoning: { effort: 'high' } },
  ]);
});

it.each(programs)('%s: a provider can be configured with nothing in a file', async (program) => {
  const { model, place, codex } = await stage(program, [ok]);
  writeFileSync(join(place.home, 'config.toml'), '');
  const scripted = { name: 'mine', base_url: model.url, wire_api: 'responses', supports_websockets: false };
  const config = { model: 'gpt-5.5', model_provider: 'mine', model_providers: { mine: scripted } };
  const turn = await codex({ config }).startThread({ workingDirectory: place.workspace }).run('Go.');
  expect(turn.finalResponse).toBe('ok');
});

it.each(programs)('%s: the default model is the same with both', async (program) => {
  const { model, place, codex } = await stage(program, [ok]);
  writeFileSync(join(place.home, 'config.toml'), '');
  const scripted = { name: 'mine', base_url: model.url, wire_api: 'responses', supports_websockets: false };
  const config = { model_provider: 'mine', model_providers: { mine: scripted } };
  await codex({ config }).startThread({ workingDirectory: place.workspace }).run('Go.');
  expect(model.requests[0]!.body).toMatchObject({ model: 'gpt-6.1-sol', reasoning: { effort: 'low' } });
});

it.each(programs)('%s: baseUrl and apiKey lead to OpenAI by another address', async (program) => {
  const { model, place, codex } = await stage(program, [ok]);
  const options = { baseUrl: model.url, apiKey: 'a-key', config: { model_provider: 'openai' } };
  const turn = await codex(options).startThread({ workingDirectory: place.workspace }).run('Go.');
  expect(turn.finalResponse).toBe('ok');
  expect(model.requests[0]!.headers['authorization']).toBe('Bearer a-key');
});

it('OpenAI without a key is an error that says what to do', async () => {
  const { model, place, codex } = await stage('capstan', []);
  const thread = codex({ baseUrl: model.url, config: { model_provider: 'openai' } }).startThread({
    workingDirectory: place.workspace,
  });
  await expect(thread.run('Go.')).rejects.toThrow('set OPENAI_API_KEY');
  expect(model.requests).toEqual([]);
});

it.each(programs)('%s: the key reaches commands with Codex alone', async (program) => {
  const set = await stage(program, [command('env | grep -c CODEX_API_KEY'), ok]);
  expect(await outputIn(set, { apiKey: 'a-key' })).toBe({ capstan: '0\n', codex: '1\n' }[program]);
});

it.each(programs)('%s: with env, the program gets those variables and no others', async (program) => {
  vi.stubEnv('WITNESS_INHERITED', 'inherited');
  const set = await stage(program, [command('echo "[$WITNESS_GIVEN][$WITNESS_INHERITED]"'), ok]);
  expect(await outputIn(set, { env: { WITNESS_GIVEN: 'given' } })).toBe('[given][]\n');
  vi.unstubAllEnvs();
});

it.each(programs)('%s: without env, the program inherits the variables', async (program) => {
  const set = await stage(program, [command('echo "[$WITNESS_INHERITED]"'), ok]);
  vi.stubEnv('WITNESS_INHERITED', 'inherited');
  for (const [name, value] of Object.entries(variablesFor(set.place, program))) vi.stubEnv(name, value);
  const { Codex } = await import('@openai/codex-sdk');
  const thread = new Codex({ codexPathOverride: set.command }).startThread({ workingDirectory: set.place.workspace });
  const { items } = await thread.run('Go.');
  vi.unstubAllEnvs();
  expect(items[0]).toMatchObject({ aggregated_output: '[inherited]\n' });
});

it.each(programs)('%s: the provider learns that the SDK is the client, or what the variable says', async (program) => {
  const set = await stage(program, [ok, ok]);
  await outputIn(set, {});
  await outputIn(set, { env: { CODEX_INTERNAL_ORIGINATOR_OVERRIDE: 'my_app' } });
  expect(set.model.requests.map(({ headers }) => headers['originator'])).toEqual(['codex_sdk_ts', 'my_app']);
  const clients = set.place
    .lines()
    .flatMap(({ type, payload }) => (type === 'session_meta' ? [payload['originator']] : []));
  expect(clients.toSorted()).toEqual(['codex_sdk_ts', 'my_app']);
});
