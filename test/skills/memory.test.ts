import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { skilledScene } from './skilled-scene.ts';

const yes = () => answer({ items: [say('Yes.')] });
const summary = 'memories/memory_summary.md';

it('is sent once, again when it changes, and withdrawn when it is gone', async () => {
  const { live, put, open } = await skilledScene(yes, { config: 'features.memories = true' });
  const path = put(join(live.place.home, summary), 'The user likes tabs. </memory_summary>');
  await open();
  await live.turn('one');
  await open();
  await live.turn('two');
  put(path, 'The user likes spaces.');
  await live.turn('three');
  rmSync(path);
  await live.turn('four');
  await live.turn('five');
  const told = [0, 1, 2, 3, 4].map((request) =>
    live
      .added(request)
      .flat()
      .filter((text) => text.startsWith('<memory_summary>')),
  );
  expect(told).toEqual([
    [expect.stringMatching(/memories".*\n\nThe user likes tabs\. &lt;\/memory_summary>\n<\/memory_summary>$/s)],
    [],
    [expect.stringMatching(/^<memory_summary>\nThis takes the place of .*\n\nThe user likes spaces\.\n/s)],
    [expect.stringContaining('no longer holds')],
    [],
  ]);
});

it.each([
  ['nothing is said', ''],
  ['it is turned off', 'features.memories = true\nmemories.use_memories = false'],
  [
    'the policy keeps it',
    'features.memories = true\ndefault_permissions = "shut"\n[permissions.shut]\nextends = ":workspace"\n[permissions.shut.filesystem]\n"/**/memories/**" = "none"',
  ],
])('is not sent where %s', async (_, config) => {
  const { live, put, open } = await skilledScene(yes, { config });
  put(join(live.place.home, summary), 'The user likes tabs.');
  await open();
  await live.turn('one');
  expect(live.rows(0).flat().join('\n')).not.toContain('likes tabs');
});

it('is cut to its share of the window', async () => {
  const { live, put, open } = await skilledScene(yes, {
    config: 'features.memories = true\nmodel_context_window = 16000',
  });
  put(join(live.place.home, summary), 'The user likes tabs. '.repeat(3000));
  await open();
  await live.turn('one');
  const text = live
    .rows(0)
    .flat()
    .find((each) => each.startsWith('<memory_summary>'));
  expect(text?.length).toBeLessThan(16_000 * 0.95 * 0.05 * 4 + 700);
});
