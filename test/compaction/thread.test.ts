import { describe, expect, test } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { checkpointText, isCompaction, saysCheckpoint } from './summariser.ts';

const signal = new AbortController().signal;
const long = 'word '.repeat(4000);

describe('by hand', () => {
  test('folds history in a turn of its own, and the next turn tells everything again', async () => {
    const live = await LiveThread.in((request) =>
      isCompaction(request)
        ? saysCheckpoint(checkpointText('Build the parser.', ['Build the parser.']))
        : answer({ items: [say(long)] }),
    );
    await live.turn('Build the parser.');
    const result = await live.thread.compact({ signal });
    expect(result.kind).toBe('installed');
    await live.turn('Go on.');
    console.log(JSON.stringify(result, null, 1));
    console.log(
      live
        .rows(2)
        .map((row) => row.join(' | ').slice(0, 600))
        .join('\n=====\n'),
    );
  });
});
