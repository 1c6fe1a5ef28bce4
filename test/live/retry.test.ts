import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { httpError } from '../../src/testing/index.ts';
import { compacts, says, saysLong } from '../compaction/talk.ts';
import { isCompaction } from '../compaction/summariser.ts';
import { inputOf } from '../harness/scene.ts';
import { Listener, liveScene } from './live-scene.ts';

const refused = httpError({ status: 401, body: { error: { message: 'Incorrect API key.' } } });
const goesOn =
  '<turn_continued>\nThe last request to the model failed, and the user lets it try again. Continue from where the conversation stands.\n</turn_continued>';

it('what lets a failed turn go on is a text of Capstan, in requests, lists and checkpoints', async () => {
  const steps = [saysLong(), refused, says('Done.'), says('Yes.')];
  const { scene, engine, threads, start } = await liveScene((request) =>
    isCompaction(request) ? compacts(request) : steps.shift()!,
  );
  const thread = await start();
  await thread.submit({ input: words('Build the parser.') });
  expect(await thread.submit({ input: words('Go on.') })).toMatchObject({ kind: 'failed' });
  const listener = new Listener(thread);
  expect(await thread.retry()).toMatchObject({ kind: 'completed', lastMessage: 'Done.' });
  expect(inputOf(scene.model, 2).at(-1)).toMatchObject({
    role: 'user',
    content: [{ type: 'input_text', text: goesOn }],
  });
  await listener.sees('turn-completed');
  const told = listener.seen.flatMap((news) =>
    'event' in news && news.event.kind === 'context' ? [[news.event.content, news.event.cause]] : [],
  );
  expect(told).toContainEqual(['turn_continued', 'event']);

  const checkpoint = await thread.compact({});
  expect(checkpoint).toMatchObject({ kind: 'installed', report: { words: { kept: 2, cut: 0, dropped: 0 } } });
  await thread.submit({ input: words('And on.') });
  expect(JSON.stringify(inputOf(scene.model, 4))).not.toContain('lets it try again');
  // It is a turn like others: a rollback counts it, and lists have no words of it.
  expect((await engine.stored.turns(thread.id)).map(({ firstWords }) => firstWords)).toEqual([
    'Build the parser.',
    'Go on.',
    '',
    '',
    'And on.',
  ]);
  await threads.close();
  expect(await engine.stored.rollback(thread.id, { turns: 2 })).toMatchObject({ kind: 'rolled-back' });
  expect(await scene.place.run('replay', thread.id)).toMatchObject({ code: 0 });
});

it('what lets a failed turn go on is counted as context', async () => {
  const { scene, threads, start } = await liveScene([refused, says('Done.')]);
  const thread = await start();
  await thread.submit({ input: words('Go on.') });
  await thread.retry();
  await threads.close();
  const { stdout } = await scene.place.run('context', thread.id, '--json');
  const shown = JSON.stringify(JSON.parse(stdout));
  expect(shown).toContain('turn_continued');
  expect((await scene.place.run('context', thread.id, '--changes')).stdout).toContain('turn_continued');
});
