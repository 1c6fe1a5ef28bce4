import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { runCodex } from './codex.ts';
import { runCapstan, scene, threadOf } from './scene.ts';

it('exec fork prints the same events in both programs, with and without a prompt', async () => {
  const { place } = await scene(() => answer({ items: [say('ok')], usage: { input: 100, output: 20 } }));
  const source = threadOf(await runCapstan(place, 'one'));
  for (const words of [[source], [source, 'two']]) {
    const [ours, theirs] = [await runCapstan(place, 'fork', ...words), await runCodex(place, 'fork', ...words)];
    expect(ours.code, ours.stderr).toBe(theirs.code);
    const same = (text: string) => text.replace(/"thread_id":"[^"]+"/, '"thread_id":"…"');
    expect(same(ours.stdout)).toBe(same(theirs.stdout));
  }
  const unknown = ['fork', '01a1df9b-9ebe-7823-9e23-3d2cf6542b99', 'x'];
  const [ours, theirs] = [await runCapstan(place, ...unknown), await runCodex(place, ...unknown)];
  expect([ours.code, ours.stdout]).toEqual([theirs.code, theirs.stdout]);
});

it('each program continues with the fork that the other has made and not used', async () => {
  const { model, place } = await scene(() => answer({ items: [say('ok')] }));
  const source = threadOf(await runCapstan(place, 'one'));
  const ours = threadOf(await runCapstan(place, 'fork', source));
  const theirs = threadOf(await runCodex(place, 'fork', source));
  expect((await runCodex(place, 'resume', ours, 'two')).code).toBe(0);
  expect((await runCapstan(place, 'resume', theirs, 'three')).code).toBe(0);
  for (const { body } of model.requests.slice(1)) expect(JSON.stringify(body['input'])).toContain('"one"');
});
