import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { textsOf } from '../harness/scene.ts';
import { eventually, memoryScene, note } from './memory-scene.ts';

it('a failed attempt leaves the note of before, which is merged on, and a later success replaces its summary', async () => {
  let alpha = 'first';
  const { live, past, usedAgain, asked, notes, summaries } = await memoryScene({
    extract: ({ body }) => {
      if (!JSON.stringify(body['input']).includes('alpha'))
        return note({ raw_memory: '- Beta.', rollout_slug: 'beta' });
      if (alpha === 'unreadable') return answer({ items: [say('No notes today.')] });
      return note({ raw_memory: `- Alpha, ${alpha}.`, rollout_slug: `alpha ${alpha}` });
    },
  });
  const id = await past('alpha', 9);
  await live.turn('hello');
  await eventually(() => asked('consolidate').length === 1);
  const [first] = notes();
  expect(first).toMatchObject({ kind: 'noted', text: '- Alpha, first.' });

  alpha = 'unreadable';
  await usedAgain(id, 'alpha again', 8.5);
  await live.open();
  await live.turn('hello');
  await eventually(() => live.told('warning').length > 0);
  const [kept] = notes();
  const attempt = { usedAt: expect.any(Number), at: expect.any(Number) };
  expect(kept).toEqual({ ...first, tokens: 2 * first!.tokens, failed: attempt });
  expect(kept!.failed!.usedAt).toBeGreaterThan(kept!.usedAt);

  // The attempt is not repeated for a day, and another thread's notes are merged with the note of before.
  await past('beta', 8);
  await live.open();
  await live.turn('hello');
  await eventually(() => asked('consolidate').length === 2);
  expect(asked('extract')).toHaveLength(3);
  expect(textsOf(asked('consolidate')[1]!.body['input'] as never).join('\n')).toContain('- Alpha, first.');

  alpha = 'third';
  await usedAgain(id, 'alpha once more');
  await live.open();
  await live.turn('hello');
  await eventually(() => asked('consolidate').length === 3);
  expect(notes().find(({ threadId }) => threadId === id)).toEqual({
    ...first,
    usedAt: expect.any(Number),
    at: expect.any(Number),
    text: '- Alpha, third.',
    file: expect.stringContaining('-alpha-third.md'),
  });
  expect(summaries().filter((name) => name.includes('alpha'))).toEqual([expect.stringContaining('-alpha-third.md')]);
});

it('a thread that may no longer be noted loses its summary, too', async () => {
  let isFromOutside = false;
  const search = { type: 'web_search_call', status: 'completed', action: {} } as const;
  const { live, past, usedAgain, asked, noted, summaries } = await memoryScene(
    { turn: () => answer({ items: [...(isFromOutside ? [search] : []), say('Yes.')] }) },
    'features.memories = true\nmemories.disable_on_external_context = true',
  );
  const id = await past('alpha', 9);
  await live.turn('hello');
  await eventually(() => asked('consolidate').length === 1);
  expect(summaries()).toHaveLength(1);
  isFromOutside = true;
  await usedAgain(id, 'Search.');
  isFromOutside = false;
  await live.open();
  await live.turn('hello');
  await eventually(() => noted()[0] === 'nothing' && summaries().length === 0);
});
