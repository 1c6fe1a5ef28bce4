import { expect, it } from 'vitest';
import { answer, callTool, reason, say } from '../../src/testing/index.ts';
import { scene, threadId } from '../harness/scene.ts';
import { formats, speaking } from './formats.ts';

it.each(formats)('exec runs, resumes and replays a thread in $title', async (format) => {
  const { model, place } = await scene([
    answer({ items: [reason('Hm.'), callTool('exec_command', { cmd: 'echo one' })] }),
    answer({ items: [say('One.')] }),
    answer({ items: [say('Two.')] }),
  ]);
  const settings = speaking(format).config.flatMap((override) => ['-c', override]);
  const first = await place.run('exec', '--json', ...settings, 'One?');
  expect([first.code, first.events.at(-1)]).toMatchObject([
    0,
    { type: 'turn.completed', usage: { input_tokens: 200 } },
  ]);
  const id = threadId(first);
  const second = await place.run('exec', '--json', ...settings, 'resume', id, 'Two?');
  expect(second.code).toBe(0);
  const texts = second.events.map(({ item }) => (item as { text?: string } | undefined)?.text);
  expect(texts).toContain('Two.');

  const replayed = await place.run('replay', id, '--json');
  expect(JSON.parse(replayed.stdout)).toMatchObject({ counts: { same: 3, different: 0, other_encoder: 0 } });
  const printed = await place.run('replay', id, '--request', '3', '--print');
  expect(printed.stdout).toBe(model.requests[2]!.bytes.toString('utf8'));
});

it('a base URL with the endpoint in it is refused before anything is sent', async () => {
  const { model, place } = await scene([]);
  const run = await place.run(
    'exec',
    '-c',
    'model_providers.scripted.wire_api="chat"',
    '-c',
    `model_providers.scripted.base_url="${model.url}/chat/completions"`,
    'Hello?',
  );
  expect(run.code).not.toBe(0);
  expect(run.stderr).toContain(
    'Set model_providers.scripted.base_url to the address that ends before /chat/completions.',
  );
  expect(model.requests).toEqual([]);
});
