import { describe, expect, test } from 'vitest';
import { answer, callTool, httpError, say, type ScriptStep } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { requestKinds, says, saysLong, story, talk, task } from './talk.ts';

const words = 'Something about this request is not right.';
const refuses = (status = 400, error: object = { message: words }): ScriptStep =>
  httpError({ status, body: { error } as never });

const began = [
  'turn-started',
  'warning refused-without-cause',
  'checkpoint-started auto unexplained_refusal mid_turn',
  'checkpoint-installed',
];

describe('a refusal that names no cause', () => {
  test.each([400, 412, 422, 499])(
    'with status %i, of the largest request so far, gets one try with a compacted history',
    async (status) => {
      const live = await LiveThread.in(talk([saysLong(), refuses(status), says('Done.')]));
      await live.turn(task);
      const from = live.events.length;
      expect(await live.turn('Go on.')).toEqual({ kind: 'completed', lastMessage: 'Done.' });
      expect(story(live, from)).toEqual([...began, 'turn-completed']);
      expect(requestKinds(live)).toEqual(['step', 'step', 'checkpoint', 'step']);
      const [warning] = live.told('warning');
      expect(warning!.outcome).toEqual({
        code: 'refused-without-cause',
        message: expect.stringContaining(
          'it is larger than any request that this provider has answered in this thread',
        ),
        next: expect.stringContaining('model_context_window'),
      });
    },
  );

  test('that is refused again ends the turn with the words of the server, and the thread can be resumed', async () => {
    const live = await LiveThread.in(
      talk([saysLong(), refuses(), refuses(400, { message: 'Still not.' }), says('Yes.')]),
    );
    await live.turn(task);
    const from = live.events.length;
    expect(await live.turn('Go on.')).toEqual({
      kind: 'failed',
      outcome: expect.objectContaining({
        code: 'invalid-request',
        message: `The provider answered with status 400: ${words}`,
        next: expect.stringContaining('tried again, and the provider refused that too.'),
      }),
    });
    expect(story(live, from)).toEqual([...began, 'turn-failed invalid-request']);
    expect(requestKinds(live)).toEqual(['step', 'step', 'checkpoint', 'step']);
    expect(await live.turn('And now?')).toMatchObject({ kind: 'completed', lastMessage: 'Yes.' });
  });

  test('and then one for length ends the turn: there is one extra checkpoint', async () => {
    const tooLong = refuses(400, { code: 'context_length_exceeded', message: 'Too long.' });
    const live = await LiveThread.in(talk([saysLong(), refuses(), tooLong, says('Yes.')]));
    await live.turn(task);
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'failed', outcome: { code: 'context-window-exceeded' } });
    expect(requestKinds(live)).toEqual(['step', 'step', 'checkpoint', 'step']);
  });

  test('is tried once in a turn, however many steps it has', async () => {
    const steps = [refuses(), saysLong(['exec_command', { cmd: 'true' }]), refuses(), says('Done.')];
    const live = await LiveThread.in(talk([saysLong(), ...steps]));
    await live.turn(task);
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'failed', outcome: { code: 'invalid-request' } });
    expect(requestKinds(live)).toEqual(['step', 'step', 'checkpoint', 'step', 'step']);
    expect(live.told('warning').map(({ outcome }) => outcome.code)).toEqual(['refused-without-cause']);
  });

  test('of a request that fills the window is tried although larger ones were answered', async () => {
    const counted = answer({ items: [say('Short.')], usage: { input: 230_000 } });
    const live = await LiveThread.in(talk([saysLong(), counted, refuses(), says('Done.')]));
    for (const text of [task, 'Go on.']) await live.turn(text);
    expect(await live.turn('And on.')).toMatchObject({ kind: 'completed' });
    expect(live.told('warning')[0]!.outcome.message).toMatch(/it fills 89 % of the effective window/);
  });

  test('whose compaction is refused as well ends in one that code makes', async () => {
    const live = await LiveThread.in(talk([saysLong(), refuses(), says('Done.')], () => refuses()));
    await live.turn(task);
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed', lastMessage: 'Done.' });
    expect(requestKinds(live).length).toBeLessThanOrEqual(7);
    expect(live.told('checkpoint-installed')).toMatchObject([{ report: { strategy: 'mechanical' } }]);
  });

  test('after another process took over is judged by what was answered before', async () => {
    const live = await LiveThread.in(talk([saysLong(), says('Short.'), refuses(), says('Done.')]));
    await live.turn(task);
    await live.open();
    await live.turn('Go on.');
    await live.open();
    expect(await live.turn('And on.')).toMatchObject({ kind: 'completed', lastMessage: 'Done.' });
    expect(requestKinds(live)).toEqual(['step', 'step', 'step', 'checkpoint', 'step']);
  });
});

describe('nothing is compacted for a refusal', () => {
  const explained: readonly [string, ScriptStep][] = [
    ['of the key', refuses(401)],
    ['of a permission', refuses(403)],
    ['of the address', refuses(404)],
    ['of a bad parameter', refuses(400, { code: 'unsupported_parameter', message: 'Unsupported parameter.' })],
    ['of content', refuses(400, { code: 'content_filter', message: 'No.' })],
    ['of an account', refuses(400, { code: 'billing_not_active', message: 'No.' })],
  ];

  test.each(explained)('%s', async (_, step) => {
    const live = await LiveThread.in(talk([saysLong(), step, says('Done.')]));
    await live.turn(task);
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'failed' });
    expect(requestKinds(live)).toEqual(['step', 'step']);
  });

  test('of the first request of a thread', async () => {
    const live = await LiveThread.in(talk([refuses()]));
    expect(await live.turn(`${task} ${'word '.repeat(4000)}`)).toMatchObject({ kind: 'failed' });
    expect(requestKinds(live)).toEqual(['step']);
  });

  test('of a request that is no larger than one that was answered', async () => {
    const long = callTool('exec_command', { cmd: 'true' });
    const live = await LiveThread.in(talk([saysLong(), answer({ items: [long] }), says('Done.'), refuses()]));
    await live.turn(task);
    await live.turn('Go on.');
    await live.thread.compact({ signal: new AbortController().signal });
    const before = requestKinds(live).length;
    expect(await live.turn('And on.')).toMatchObject({ kind: 'failed' });
    expect(requestKinds(live).length).toBe(before + 1);
  });

  test('where history is too small to gain anything', async () => {
    const live = await LiveThread.in(talk([says('Yes.'), refuses()]));
    await live.turn(task);
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'failed' });
    expect(requestKinds(live)).toEqual(['step', 'step']);
  });

  test('while compaction is paused', async () => {
    const live = await LiveThread.in(talk([saysLong(), refuses()]));
    await live.turn(task);
    const outcome = { code: 'compaction-no-gain', message: 'No.' };
    const failed = {
      type: 'capstan_compaction',
      payload: { id: 'x', turn_id: 'y', trigger: 'auto', outcome },
    } as const;
    await live.rewrite((lines) => [...lines, failed, failed]);
    await live.open();
    expect(await live.turn('Go on.')).toMatchObject({
      kind: 'failed',
      outcome: { message: expect.stringContaining(words) },
    });
    expect(requestKinds(live)).toEqual(['step', 'step']);
  });
});
