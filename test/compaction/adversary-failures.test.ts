import { describe, expect, test } from 'vitest';
import { answer, hang } from '../../src/testing/index.ts';
import { failures, overflows } from './adversary/failures.ts';
import { oneOfEach, play, withTriggers } from './adversary/play.ts';
import { transcripts } from './adversary/transcripts.ts';

describe('asked for a checkpoint, a provider that answers with', () => {
  const rows = [failures, overflows.forEver, overflows.once].flatMap((each) => withTriggers(oneOfEach(each)));
  test.each(rows)('$name ($trigger)', async ({ told, posts, trigger, name: _name, ...row }) => {
    const played = await play({ transcript: transcripts.work, trigger, ...row });
    expect({ told: played.told, posts: played.asked.length }).toEqual({ told: told[trigger], posts: posts[trigger] });
  });
});

test('a caller that stops it finds history as it was', async () => {
  const played = await play({
    transcript: transcripts.work,
    trigger: 'manual',
    does: () => [hang({ afterBytes: 100, of: answer({ items: [] }) })],
    waits: 'never',
  });
  expect({ told: played.told, posts: played.asked.length }).toEqual({
    told: [{ failed: 'aborted', paused: false }],
    posts: 1,
  });
});
