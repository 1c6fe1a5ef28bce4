import { describe, expect, inject, it } from 'vitest';
import { overflow, overflowForms } from '../../src/testing/index.ts';
import { calls, long, requestKinds, says, saysLong, smallLimit, story, talk, task } from '../compaction/talk.ts';
import { checkThread, FormatThread } from './format-thread.ts';
import { formats } from './formats.ts';

const signal = new AbortController().signal;

describe.each(formats)('compaction in $title', (format) => {
  it('by hand: the user’s words and a summary stand for the rest', async () => {
    const thread = await FormatThread.in(format, talk([saysLong(), says('Yes.')]));
    await thread.open();
    await thread.live.turn(task);
    expect(await thread.live.thread.compact({ signal })).toMatchObject({
      kind: 'installed',
      report: { strategy: 'structured' },
    });
    await thread.live.turn('Go on.');
    expect(requestKinds(thread.live)).toEqual(['step', 'checkpoint', 'step']);
    const texts = thread.said(2).map(([, text]) => text);
    expect(texts.some((text) => text.includes(task))).toBe(true);
    expect(texts.some((text) => text.includes('RESUME_AT: the second half'))).toBe(true);
    expect(texts.join().includes(long)).toBe(false);
    await checkThread(thread);
  });

  it('by itself in the middle of a turn, which continues', async () => {
    const thread = await FormatThread.in(
      format,
      talk([saysLong(['exec_command', { cmd: 'echo one' }]), calls('echo two'), says('Done.')]),
      { config: smallLimit },
    );
    await thread.open();
    expect(await thread.live.turn(task)).toEqual({ kind: 'completed', lastMessage: 'Done.' });
    expect(requestKinds(thread.live)).toEqual(['step', 'checkpoint', 'step', 'step']);
    expect(thread.said(3).slice(-2)).toEqual([
      ['call', 'exec_command'],
      ['output', expect.stringContaining('two')],
    ]);
    await checkThread(thread);
  });

  // The fast tests take one form per format.
  const at = formats.indexOf(format);
  const forms = inject('runFactor') === 1 ? [overflowForms[0], overflowForms[1 + (at % 5)]!] : overflowForms;
  it.each(forms)('after a refusal for length, as %s', async (form) => {
    const tooLong = overflow(form, { tokens: 300_000, window: 272_000 });
    const thread = await FormatThread.in(format, talk([saysLong(), tooLong, says('Done.')]));
    await thread.open();
    await thread.live.turn(task);
    const from = thread.live.events.length;
    expect(await thread.live.turn('Go on.')).toEqual({ kind: 'completed', lastMessage: 'Done.' });
    expect(story(thread.live, from)).toEqual([
      'turn-started',
      'checkpoint-started auto context_overflow mid_turn',
      'checkpoint-installed',
      'turn-completed',
    ]);
    const texts = thread
      .said(3)
      .map(([, text]) => text)
      .join('\n');
    expect([task, 'Go on.', long].map((text) => texts.split(text).length - 1)).toEqual([1, 1, 0]);
    await checkThread(thread);
  });
});
