import { expect, it } from 'vitest';
import { liveThreads, words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, type RecordedRequest, say } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { checkpointText, isCompaction } from '../compaction/summariser.ts';
import { liveScene, opened } from './live-scene.ts';

const script = (request: RecordedRequest) =>
  isCompaction(request)
    ? answer({ items: [say(checkpointText('one', [], 'summary'))] })
    : answer({ items: [say('Yes. '.repeat(1000))] });

const given = {
  config: ['developer_instructions="Be brief."', 'compact_prompt="Sum up in verse."', 'compaction.strategy="plain"'],
  onlyTools: ['exec_command', 'update_plan'],
  withoutTools: ['update_plan'],
};

function toolsIn({ body }: RecordedRequest): readonly string[] {
  return (body['tools'] as unknown as readonly JsonObject[]).map(({ name }) => String(name));
}

it('a thread keeps what it was started with, also in another process, in a fork, and behind a rollback', async () => {
  const { scene, threads, start } = await liveScene(script);
  const thread = await start(given);
  await thread.submit({ input: words('one') });
  await thread.override({ effort: 'low' });
  await thread.submit({ input: words('two') });
  await threads.whole(thread.id, (stored) => stored.rollback(thread.id, { turns: 1 }));
  await threads.close();
  const later = liveThreads(await scene.engine());
  whenTestEnds(() => later.close());
  const forked = await opened(later.fork(thread.id, { kind: 'latest' }));
  const loaded = await opened(later.load(thread.id));
  for (const each of [forked, loaded]) {
    expect(each.settings).toMatchObject({
      developerInstructions: 'Be brief.',
      compactPrompt: 'Sum up in verse.',
      onlyTools: ['exec_command', 'update_plan'],
      withoutTools: ['update_plan'],
    });
    const before = scene.model.requests.length;
    await each.submit({ input: words('three') });
    const [request] = scene.model.requests.slice(before);
    expect(toolsIn(request!)).toEqual(['exec_command', 'write_stdin']);
    expect(JSON.stringify(request!.body['input'])).toContain('Be brief.');
  }
  expect(JSON.stringify(loaded.settings.origins)).toContain('"withoutTools":"thread"');
});

it('what the program gives now wins, and a thread that was given nothing keeps nothing', async () => {
  const { scene, threads, start } = await liveScene(script);
  const thread = await start(given);
  await thread.submit({ input: words('one') });
  const plain = await start();
  await plain.submit({ input: words('one') });
  await threads.close();
  const later = liveThreads(await scene.engine({ config: ['developer_instructions="Be long."'] }));
  whenTestEnds(() => later.close());
  const loaded = await opened(later.load(thread.id, { withoutTools: [] }));
  expect(loaded.settings).toMatchObject({ developerInstructions: 'Be long.', withoutTools: [] });
  const other = liveThreads(await scene.engine());
  whenTestEnds(() => other.close());
  const again = await opened(other.load(plain.id));
  expect(again.settings.developerInstructions).toBeUndefined();
  expect(again.settings.withoutTools).toBeUndefined();
});
