import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say, startScriptedModel } from '../../src/testing/index.ts';
import { textsOf } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { eventually, memoryScene, merged, note } from './memory-scene.ts';

it('a question beside the conversation takes nothing of the configuration but how the model is reached', async () => {
  const { live, past, asked } = await memoryScene();
  const [config, notified] = [join(live.place.home, 'config.toml'), join(live.place.home, 'notified')];
  const more = `notify = ["sh", "-c", "printf '%s\\\\n' \\"$0\\" >>${notified}"]
personality = "friendly"
developer_instructions = "Speak French."
model_verbosity = "low"
`;
  writeFileSync(config, `${more}${readFileSync(config, 'utf8')}`);
  writeFileSync(join(live.place.home, 'AGENTS.md'), 'Speak Dutch.');
  await past('I like tabs.');
  await live.turn('first');
  await eventually(() => asked('consolidate').length > 0);
  await live.turn('second');
  const words = (): readonly unknown[] =>
    existsSync(notified)
      ? readFileSync(notified, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => (JSON.parse(line) as Record<string, unknown>)['input-messages'])
      : [];
  await eventually(() => words().flat().includes('second'));
  expect(words()).toEqual([['I like tabs.'], ['first'], ['second']]);
  for (const { body } of [...asked('extract'), ...asked('consolidate')]) {
    expect(textsOf(body['input'] as never)).toEqual([expect.stringContaining('tabs')]);
    expect(body['text']).toMatchObject({ verbosity: 'low' });
  }
});

it('notes about a thread are written by the provider of the thread that is open', async () => {
  const isExtract = (instructions: unknown): boolean => String(instructions).startsWith('You write notes');
  const other = await startScriptedModel(({ body }) => {
    if (isExtract(body['instructions'])) return note();
    return String(body['instructions']).startsWith('You keep the memory') ? merged() : answer({ items: [say('Yes.')] });
  });
  whenTestEnds(() => other.close());
  const table = `[model_providers.other]\nname = "o"\nbase_url = "${other.url}"\nwire_api = "responses"\n`;
  const { live, past, asked } = await memoryScene({}, `features.memories = true\n${table}`);
  await past('I like tabs.');
  await live.open({}, { config: [{ path: ['model_provider'], value: 'other' }] });
  await live.turn('hello');
  await eventually(() => other.requests.some(({ body }) => isExtract(body['instructions'])));
  expect(asked('extract')).toEqual([]);
});
