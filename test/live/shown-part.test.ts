import { expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { says } from '../compaction/talk.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { Listener, liveScene } from './live-scene.ts';

const half = hang({ afterBytes: 1500, of: answer({ items: [say('Line of a story. '.repeat(200))], deltas: true }) });
const stopped = 'The user stopped the turn on purpose. No call was running.';
const seen =
  'The user saw the beginning of an answer that you had not finished. It is not in your history: if the user speaks of it, ask or write it again.';

async function interrupted(script: Parameters<typeof liveScene>[0], { follows }: { readonly follows: boolean }) {
  const { scene, start } = await liveScene(script);
  const thread = await start();
  const listener = follows ? new Listener(thread) : undefined;
  const turn = thread.submit({ input: words('Tell a story.') });
  await expect.poll(() => scene.model.requests.length).toBe(script.length - 1);
  if (listener === undefined) await new Promise((later) => setTimeout(later, 300));
  else await listener.sees('text');
  await thread.interrupt();
  expect(await turn).toMatchObject({ kind: 'aborted' });
  await thread.submit({ input: words('What was line one?') });
  return textsOf(inputOf(scene.model, script.length - 1)).filter((text) => String(text).startsWith('<turn_aborted>'));
}

it('after an interrupt the model reads that the user saw a part of its answer', async () => {
  expect(await interrupted([half, says('I do not know.')], { follows: true })).toEqual([
    `<turn_aborted>\n${stopped} ${seen}\n</turn_aborted>`,
  ]);
});

it('does not say so, if no subscriber was shown any', async () => {
  expect(await interrupted([half, says('I do not know.')], { follows: false })).toEqual([
    `<turn_aborted>\n${stopped}\n</turn_aborted>`,
  ]);
});

it('nor is one that came to its end before the turn was interrupted', async () => {
  const { scene, start } = await liveScene([
    answer({ items: [say('A whole line.'), callTool('exec_command', { cmd: 'sleep 75001' })], deltas: true }),
    says('Yes.'),
  ]);
  const thread = await start();
  const listener = new Listener(thread);
  const turn = thread.submit({ input: words('Tell a story.') });
  await listener.sees('item-started');
  await thread.interrupt();
  await turn;
  await thread.submit({ input: words('And?') });
  expect(textsOf(inputOf(scene.model, 1)).join('\n')).not.toContain('beginning of an answer');
});
