import { expect, it } from 'vitest';
import { inputOf, textsOf } from '../harness/scene.ts';
import { eventually, memoryScene } from './memory-scene.ts';

it('writes notes about a thread that came to rest, brings them together, and the next thread reads them', async () => {
  const { live, past, asked, read, summaries } = await memoryScene();
  const id = await past('I like tabs. My key is sk-abcdefghijklmnop.');
  await live.turn('hello');
  await eventually(() => read('memory_summary.md') !== undefined);
  const [extract] = asked('extract');
  const [merge] = asked('consolidate');
  expect([asked('extract').length, asked('consolidate').length]).toEqual([1, 1]);
  const sent = JSON.stringify(extract!.body);
  expect(sent).toContain('I like tabs. My key is [secret].');
  expect(extract!.body['tools'] ?? []).toEqual([]);
  expect(textsOf(extract!.body['input'] as never).length).toBe(1);
  expect(extract!.body['reasoning']).toMatchObject({ effort: 'low' });
  expect(JSON.stringify(merge!.body)).toContain('The user likes tabs.');
  expect(read('MEMORY.md')).toBe('# Tabs\n\nThe user likes tabs.\n');
  expect(read('memory_summary.md')).toBe('Tabs: likes.\n');
  expect(summaries()).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[0-9a-f]{8}-about-tabs\.md$/)]);
  expect(read('rollout_summaries', summaries()[0]!)).toMatch(
    new RegExp(`^thread_id: ${id}\nupdated_at: .*\nrollout_path: ".*"\ncwd: ".*"\n\nTabs were discussed\\.\n$`),
  );
  await live.turn('and now');
  expect(live.told('warning')).toEqual([]);
  const last = live.model.requests.length - 1;
  expect(JSON.stringify(textsOf(inputOf(live.model, last)))).toContain('Tabs: likes.');
});
