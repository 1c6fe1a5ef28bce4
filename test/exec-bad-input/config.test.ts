import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';
import { expectRefused, type Refusal } from './expectations.ts';

describe('a configuration that', () => {
  it('cannot be used', async () => {
    const stage = await scene([]);
    const { place } = stage;
    const path = join(place.home, 'config.toml');
    const good = readFileSync(path, 'utf8');
    const refuse = async (text: string, reason: Refusal, ...options: readonly string[]) => {
      writeFileSync(path, text);
      expectRefused(stage, await place.run('exec', '--json', ...options, 'x'), reason);
    };
    await refuse('model = [', [
      `${path}:1:9: unfinished array.\n1 | model = *\n            ^`,
      `Correct line 1 of ${path}.`,
    ]);
    await refuse(good.replace('"gpt-5.5"', '5'), [
      `${path}:1: model must be a string that is not blank, not 5.`,
      'Write it in quotes: "5".',
    ]);
    rmSync(path);
    mkdirSync(path);
    expectRefused(stage, await place.run('exec', 'x'), [
      `${path} cannot be read: it is a folder.`,
      `Make ${path} a readable file, or delete it.`,
    ]);
  });

  it('misspells a key says so beside what comes of it', async () => {
    const { model, place } = await scene([]);
    const path = join(place.home, 'config.toml');
    writeFileSync(path, readFileSync(path, 'utf8').replace('base_url', 'base_ulr'));
    const run = await place.run('exec', '--json', 'hi');
    expect([run.code, run.stdout, model.requests.length]).toEqual([1, '', 0]);
    expect(run.stderr)
      .toBe(`${path}:7: model_providers.scripted.base_ulr is not a known key. Did you mean model_providers.scripted.base_url?
capstan: The provider "scripted" has no base_url
         Set model_providers.scripted.base_url to the address that ends before /responses.
`);
  });
});

describe('a home that', () => {
  it('cannot be used', async () => {
    const stage = await scene([]);
    const { place } = stage;
    const file = join(place.root, 'file');
    writeFileSync(file, '');
    const refuse = async (env: Readonly<Record<string, string>>, reason: Refusal) =>
      expectRefused(stage, await place.start(['exec', '--json', 'x'], { env }).finished, reason);
    await refuse({ CAPSTAN_HOME: file }, [
      `CAPSTAN_HOME is not a folder: ${file}`,
      'Set CAPSTAN_HOME to a folder, or unset it.',
    ]);
    await refuse({ CAPSTAN_HOME: `${file}/home` }, [
      `The folder in CAPSTAN_HOME cannot be created: a part of its path is not a folder (${file}/home)`,
      'Set CAPSTAN_HOME to a folder that you can write to, or unset it.',
    ]);
    await refuse({ CAPSTAN_HOME: '', CODEX_HOME: `${place.root}/gone` }, [
      `CODEX_HOME points to a folder that does not exist: ${place.root}/gone`,
      'Create the folder, or unset CODEX_HOME.',
    ]);
  });

  it('is missing is made', async () => {
    const { model, place } = await scene([answer({ items: [say('ok')] })]);
    const env = { CAPSTAN_HOME: join(place.root, 'a', 'new', 'home') };
    const provider = `model_providers.new={name="new",base_url="${model.url}"}`;
    const words = ['exec', '-m', 'gpt-5.5', '-c', 'model_provider=new', '-c', provider, 'hi'];
    const run = await place.start(words, { env }).finished;
    expect([run.code, run.stdout], run.stderr).toEqual([0, 'ok\n']);
  });
});
