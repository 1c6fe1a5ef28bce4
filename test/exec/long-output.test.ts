import { appendFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Ordinal } from '../../src/protocol/ids.ts';
import { encodeLine } from '../../src/adapters/rollout/lines/line-format.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { capstanScript } from '../harness/run-capstan.ts';
import { inputOf, scene, threadId } from '../harness/scene.ts';

/** A thread of two turns, the first with a long output in it, and the input of the request that answered it. */
async function longThread() {
  const { model, place } = await scene([
    answer({ items: [callTool('exec_command', { cmd: 'seq 1 1500; printf "\\033[1mé\\033[0m" ; seq 1 300' })] }),
    answer({ items: [callTool('exec_command', { cmd: 'seq 1 1500' })] }),
    answer({ items: [say('counted')] }),
    answer({ items: [say('once more')] }),
    answer({ items: [say('resumed')] }),
  ]);
  const id = threadId(await place.run('exec', '--json', 'count'));
  await place.run('exec', 'resume', id, 'again');
  return { model, place, id, input: inputOf(model, 2) };
}

it('a long output comes back after a rollback, as it was sent before', async () => {
  const { model, place, id, input } = await longThread();
  const ordinal = (place.lines().at(-1)!.ordinal! + 1) as Ordinal;
  const payload = { type: 'thread_rolled_back', num_turns: 1 };
  const line = encodeLine({ timestamp: '2026-11-15T00:00:00.000Z', ordinal, type: 'event_msg', payload });
  appendFileSync(place.rollouts()[0]!, line);
  const run = await place.run('exec', 'resume', id, 'go on');
  const sent = inputOf(model, 4);
  expect({ code: run.code, sent: sent.slice(0, input.length) }).toEqual({ code: 0, sent: input });
  expect(JSON.stringify(sent)).not.toContain('again');
});

// From the sources a program cannot run in this way: Node reads their types with WebAssembly.
it.skipIf(capstanScript.endsWith('.ts'))(
  'a process without WebAssembly resumes a long thread all the same',
  async () => {
    const { model, place, id, input } = await longThread();
    const { finished } = place.start(['exec', 'resume', id, 'go on'], { env: { NODE_OPTIONS: '--jitless' } });
    const { code, stdout } = await finished;
    expect({ code, stdout, sent: inputOf(model, 4).slice(0, input.length) }).toEqual({
      code: 0,
      stdout: 'resumed\n',
      sent: input,
    });
  },
);
