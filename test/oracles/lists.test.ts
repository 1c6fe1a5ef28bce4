import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, httpError, reason, say, type Script } from '../../src/testing/index.ts';
import { runCodex } from './codex.ts';
import { listedAfter, restoredAfter } from './listed.ts';
import { runCapstan, scene, threadOf } from './scene.ts';

describe('the lists of Codex', () => {
  it('hold a thread of Capstan, and --last finds it by its folder', async () => {
    const { place } = await scene(() => answer({ items: [say('Yes.')] }));
    const ours = threadOf(await runCapstan(place, 'in the workspace'));
    const elsewhere = join(place.root, 'elsewhere');
    mkdirSync(elsewhere);
    const theirs = threadOf(await runCodex(place, '-C', elsewhere, 'newer, in another folder'));
    expect(theirs).not.toBe(ours);
    const last = await runCodex(place, 'resume', '--last', 'go on');
    expect([last.code, threadOf(last)]).toEqual([0, ours]);
  });

  it('say about a thread of Capstan what they say about one of Codex', async () => {
    await expectSameLists(
      [
        answer({ items: [reason('Look.'), say('I look around.'), callTool('exec_command', { cmd: 'echo one' })] }),
        answer({ items: [callTool('exec_command', { cmd: 'echo two >&2; exit 3' })] }),
        answer({ items: [say('Done.')] }),
        httpError({ status: 400, body: { error: { message: 'no' } } }),
      ],
      ['first words', 'second words, which fail'],
    );
  });

  // The path of the record must be a file URL: Codex passes over a record that it cannot read.
  it('show an image that the model looked at', async () => {
    await expectSameLists(
      [answer({ items: [callTool('view_image', { path: 'dot.png' })] }), answer({ items: [say('A dot.')] })],
      ['look'],
    );
  });

  // `phase` is in the item that the model said and not yet in the record for screens (`item_completed`).
  it('say which of the messages are commentary and which is the answer', async () => {
    await expectSameLists(
      [answer({ items: ['commentary', 'final_answer'].map((phase) => ({ ...say(`A ${phase}.`), phase })) })],
      ['speak'],
    );
  });

  it.each(['read-only', 'workspace-write', 'danger-full-access'])('give back how a %s thread ran', async (mode) => {
    const script = () => answer({ items: [say('Yes.')] });
    const [ours, theirs] = await Promise.all([runCapstan, runCodex].map((run) => restoredAfter(run, script, mode)));
    expect(ours).toEqual(theirs);
  });
});

async function expectSameLists(script: Script, prompts: readonly string[]): Promise<void> {
  const [ours, theirs] = await Promise.all([runCapstan, runCodex].map((run) => listedAfter(run, script, prompts)));
  expect(ours).toEqual(theirs);
}
