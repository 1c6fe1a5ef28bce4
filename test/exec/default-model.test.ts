import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { scene } from '../harness/scene.ts';

const ok = () => answer({ items: [say('ok')] });

/** A user whose file names a provider and no model. */
async function withoutModel() {
  const { model, place } = await scene(ok);
  const file = join(place.home, 'config.toml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('model = "gpt-5.5"\n', ''));
  return { model, place };
}

it('without a named model the default is used, and shown as such', async () => {
  const { model, place } = await withoutModel();
  const run = await place.run('exec', 'hi');
  expect([run.code, model.requests[0]?.body['model']]).toEqual([0, 'gpt-6.1-sol']);
  expect(run.stderr).toContain(' · gpt-6.1-sol via scripted · ');
  const { stdout } = await place.run('envelope', '--json');
  const { fields } = JSON.parse(stdout) as { fields: readonly { field: string; value: unknown; origin: string }[] };
  expect(fields.find(({ field }) => field === 'identity.model.slug')).toMatchObject({
    value: 'gpt-6.1-sol',
    origin: 'default',
  });
});

it('config says where the default comes from', async () => {
  const { place } = await withoutModel();
  const catalogue = join(place.root, 'models.json');
  writeFileSync(catalogue, JSON.stringify({ models: [{ slug: 'own' }, { slug: 'gpt-6.1-sol' }] }));
  const described = ['-c', `model_catalog_json=${catalogue}`];
  const shown = async (...options: readonly string[]) => {
    const show = await place.run('config', 'show', '--origin', ...options);
    return show.stdout.split('\n').find((line) => line.startsWith('model = '));
  };
  expect(await shown()).toBe('model = "gpt-6.1-sol"  # default, model catalogue');
  expect(await shown('-c', 'model_provider=ollama')).toBe('model = "gpt-oss:20b"  # default, model_provider: ollama');
  expect(await shown(...described)).toBe(`model = "own"  # default, ${catalogue}`);
  expect(await shown(...described, '-c', 'model=m')).toBe('model = "m"  # flags, command line');
  expect((await place.run('config', 'explain', 'model')).stdout).toMatch(
    /^model = "gpt-6\.1-sol"\n[^]*\nwins -> {2}default +model catalogue +"gpt-6\.1-sol"\n/,
  );
  expect((await place.run('exec', ...described, 'hi')).stderr).toContain(' · own via scripted · ');
});

it('a thread that continues keeps its own model', async () => {
  const { model, place } = await withoutModel();
  await place.run('exec', '-m', 'gpt-5.4', 'hi');
  await place.run('exec', 'resume', '--last', 'more');
  expect(model.requests.map(({ body }) => body['model'])).toEqual(['gpt-5.4', 'gpt-5.4']);
});
