import { describe, expect, it } from 'vitest';
import { words } from '../../src/index.ts';
import { calls, hangs, linesOf, long, says, saysLong, story, talk, task } from '../compaction/talk.ts';
import { LiveThread } from '../harness/live-thread.ts';

const signal = new AbortController().signal;
const note = (text: string) => ({ type: 'message', role: 'developer', content: [{ type: 'input_text', text }] });

describe('a thread that is closed while a turn runs', () => {
  it('interrupts the turn first, and records that', async () => {
    const live = await LiveThread.in(talk([hangs, says('Yes.')]));
    await live.open();
    const turn = live.turn('one');
    await live.model.request(0);
    await live.close();
    expect(await turn).toEqual({ kind: 'aborted' });
    expect(linesOf(live, 'turn_aborted')).toHaveLength(1);
    expect(story(live)).toEqual(['turn-started', 'turn-aborted']);
    await live.open();
    expect(live.notices).toEqual([]);
  });

  it('ends a compaction inside that turn like any other that is interrupted', async () => {
    let wish: Promise<unknown> | undefined;
    const live: LiveThread = await LiveThread.in(
      talk(
        [
          saysLong(),
          () => {
            wish = live.thread.compact({ signal });
            return calls('true');
          },
        ],
        hangs,
      ),
    );
    await live.turn(task);
    const from = live.events.length;
    const turn = live.turn('two');
    await live.model.request(2);
    await live.close();
    expect([await wish, await turn]).toEqual([{ kind: 'aborted' }, { kind: 'aborted' }]);
    expect(story(live, from)).toEqual([
      'turn-started',
      'checkpoint-started manual user_requested mid_turn',
      'checkpoint-failed aborted',
      'turn-aborted',
    ]);
  });

  it('leaves the words of turns behind it waiting', async () => {
    const live = await LiveThread.in(talk([hangs, says('Yes.')]));
    await live.open();
    const turns = [live.turn('one'), live.turn('two')];
    await live.model.request(0);
    await live.close();
    expect(await Promise.all(turns)).toMatchObject([{ kind: 'aborted' }, { outcome: { code: 'thread-closed' } }]);
    await live.open();
    expect(live.thread.state.waiting).toMatchObject([{ input: words('two') }]);
  });
});

it('a closed thread refuses what is asked of it, and changes nothing', async () => {
  const live = await LiveThread.in(() => says('Yes.'));
  await live.turn('one');
  const { thread } = live;
  const { settings } = thread;
  await live.close();
  const refused = { kind: 'refused', outcome: { code: 'thread-closed' } };
  expect(await thread.overrideTurnContext({ model: 'gpt-5.4' })).toMatchObject(refused);
  expect(await thread.inject(note(long))).toMatchObject(refused);
  expect(thread.settings).toBe(settings);
});
