import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { refusal } from '../exec-bad-input/expectations.ts';
import { startLocalServer, startOtherServer } from '../harness/local-server.ts';
import { scene, threadId } from '../harness/scene.ts';

/** A user whose file names another provider and its model, and a server on the machine with these models. */
async function withServer(models: readonly string[], top = '') {
  const { model, place } = await scene(() => answer({ items: [say('ok')] }));
  const { port } = await startLocalServer(models, model);
  const file = join(place.home, 'config.toml');
  writeFileSync(file, `${top}${readFileSync(file, 'utf8')}`);
  const env = { CODEX_OSS_PORT: String(port) };
  const run = (...words: readonly string[]) => place.runWith({ env }, 'exec', ...words);
  return { model, place, run, where: `http://localhost:${port}/v1` };
}

describe('--oss', () => {
  it('asks the model of the local provider, whatever a file says of another one', async () => {
    const { model, run } = await withServer(['gpt-oss:20b', 'openai/gpt-oss-20b', 'qwen:latest']);
    const ollama = await run('--oss', '--local-provider', 'ollama', 'hi');
    expect([ollama.code, ollama.stdout]).toEqual([0, 'ok\n']);
    expect(ollama.stderr).toContain(' · gpt-oss:20b via ollama · ');
    await run('--oss', '--local-provider', 'lmstudio', 'hi');
    await run('--oss', '--local-provider', 'ollama', '-m', 'qwen', 'hi');
    await run('--oss', '--local-provider', 'ollama', '-c', 'model=qwen:latest', 'hi');
    expect(model.requests.map(({ body }) => body['model'])).toEqual([
      'gpt-oss:20b',
      'openai/gpt-oss-20b',
      'qwen',
      'qwen:latest',
    ]);
  });

  it('goes by oss_provider, and by the model that a file names for that provider', async () => {
    const { model, place, run } = await withServer(['mine', 'openai/gpt-oss-20b'], 'oss_provider = "lmstudio"\n');
    await run('--oss', 'hi');
    const file = join(place.home, 'config.toml');
    writeFileSync(file, 'oss_provider = "lmstudio"\nmodel_provider = "lmstudio"\nmodel = "mine"\n');
    await run('--oss', 'hi');
    expect(model.requests.map(({ body }) => body['model'])).toEqual(['openai/gpt-oss-20b', 'mine']);
  });

  it('is not needed to go on: a thread keeps its provider and its model', async () => {
    const { model, run } = await withServer(['qwen']);
    const first = await run('--json', '--oss', '--local-provider', 'ollama', '-m', 'qwen', 'hi');
    expect((await run('--json', 'resume', threadId(first), 'more')).code).toBe(0);
    expect(model.requests.map(({ body }) => body['model'])).toEqual(['qwen', 'qwen']);
  });

  it('says what to run when the server or the model is missing', async () => {
    const { model, place, run, where } = await withServer(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(await run('--oss', '--local-provider', 'ollama', 'hi')).toEqual(
      refusal([
        `Ollama at ${where} does not have the model gpt-oss:20b.`,
        'Get it with `ollama pull gpt-oss:20b`, or choose one that it has with -m: a, b, c, d, e, ….',
      ]),
    );
    expect(await run('--oss', '--local-provider', 'lmstudio', '-m', 'z', 'hi')).toMatchObject(
      refusal([
        `LM Studio at ${where} does not have the model z.`,
        'Get it with `lms get z`, or choose one that it has with -m: a, b, c, d, e, ….',
      ]),
    );
    const start = (env: Readonly<Record<string, string>>) =>
      place.runWith({ env }, 'exec', '--oss', '--local-provider', 'ollama', 'hi');
    expect(await start({ CODEX_OSS_BASE_URL: 'http://name:secret@127.0.0.1:1/v1' })).toEqual(
      refusal([
        'Ollama does not answer at http://127.0.0.1:1/v1.',
        'Start it with `ollama serve`, or set CODEX_OSS_PORT or CODEX_OSS_BASE_URL to its address.',
      ]),
    );
    const { port } = await startOtherServer(404, 'not found');
    expect(await start({ CODEX_OSS_BASE_URL: `http://127.0.0.1:${port}` })).toEqual(
      refusal([
        `The server at http://127.0.0.1:${port}/ is not Ollama: it has no list of models.`,
        'Set CODEX_OSS_PORT or CODEX_OSS_BASE_URL to its address.',
      ]),
    );
    expect(model.requests).toEqual([]);
  });

  it('says how to choose when the user did not', async () => {
    const { run, where } = await withServer(['gpt-oss:20b']);
    expect(await run('--oss', 'hi')).toEqual(
      refusal([
        `More than one local server answers: Ollama at ${where}, LM Studio at ${where}.`,
        'Choose with --local-provider ollama|lmstudio, or set oss_provider in config.toml.',
      ]),
    );
  });

  it('refuses providers that are not on this machine', async () => {
    const { run } = await withServer([]);
    expect(await run('--oss', '-c', 'oss_provider=ollama-chat', 'hi')).toEqual(
      refusal([
        'oss_provider is "ollama-chat", which used a wire format that is no longer supported.',
        'Set it to "ollama" instead.',
      ]),
    );
    expect(await run('--oss', '-c', 'oss_provider=scripted', 'hi')).toEqual(
      refusal([
        'oss_provider is "scripted", which is not a local provider.',
        'Set it to one of "ollama", "lmstudio". For any other server, set model_provider.',
      ]),
    );
    expect(await run('--oss', '--local-provider', 'ollama-chat', 'hi')).toEqual(
      refusal(['exec: --local-provider takes ollama or lmstudio, not "ollama-chat".', 'See `capstan exec --help`.'], 2),
    );
    expect(await run('--local-provider', 'ollama', 'hi')).toEqual(
      refusal(['exec: --local-provider works only with --oss.', 'See `capstan exec --help`.'], 2),
    );
  });

  it('says what is wrong with the configuration before it looks for a server', async () => {
    const { place, run } = await withServer([]);
    appendFileSync(join(place.home, 'config.toml'), 'not = = toml\n');
    expect((await run('--oss', 'hi')).stderr).toContain('config.toml:');
  });

  it('without the option, the variables hold and nothing is asked for in advance', async () => {
    const { model, run } = await withServer([]);
    expect((await run('-c', 'model_provider=ollama', '-m', 'qwen', 'hi')).code).toBe(0);
    expect(model.requests.map(({ body }) => body['model'])).toEqual(['qwen']);
    expect((await run('-c', 'oss_provider=anything', 'hi')).code).toBe(0);
  });
});

it('a project cannot choose the local provider', async () => {
  const { place, run } = await withServer(['gpt-oss:20b']);
  mkdirSync(join(place.workspace, '.codex'));
  writeFileSync(join(place.workspace, '.codex/config.toml'), 'oss_provider = "lmstudio"\n');
  const trusted = ['-c', `projects.${JSON.stringify(place.workspace)}.trust_level=trusted`];
  const { stderr } = await run(...trusted, '--oss', '--local-provider', 'ollama', 'hi');
  expect(stderr).toContain('oss_provider cannot be set by a project');
});
