import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

it('an engine knows its open threads, from their opening until they are closed', async () => {
  const live = await LiveThread.in([answer({ items: [say('a')] })]);
  const engine = await live.engine();
  const { workspace: cwd } = live.place;
  const [one, two] = await Promise.all([engine.start({ cwd }), engine.start({ cwd })]);
  if (one.kind === 'refused' || two.kind === 'refused') throw new Error('refused');
  expect(new Set(engine.threads)).toEqual(new Set([one.thread, two.thread]));
  expect(engine.thread(one.thread.id)).toBe(one.thread);
  await one.thread.run({ input: words('go'), signal: new AbortController().signal });
  await one.thread.close();
  expect(engine.threads).toEqual([two.thread]);
  const again = await engine.resume(one.thread.id, {});
  expect(again.kind === 'opened' && engine.thread(one.thread.id) === again.thread).toBe(true);
  await engine.close();
  expect(engine.threads).toEqual([]);
});
