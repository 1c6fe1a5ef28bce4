import { describe, expect, test } from 'vitest';
import type { Answers } from './adversary/answers.ts';
import { misquoting, posing, strange } from './adversary/false-answers.ts';
import { play, triggers } from './adversary/play.ts';
import { transcripts } from './adversary/transcripts.ts';

describe.each(triggers)('asked for a checkpoint (%s), a model that answers with', (trigger) => {
  test.each<Answers>([...misquoting, ...posing, ...strange])('$name', async ({ does, told, never = [] }) => {
    const played = await play({ transcript: transcripts.work, trigger, does });
    expect({ told: played.told, posts: played.asked.length }).toEqual({ told: [told], posts: told.requests });
    const sent = JSON.stringify(played.next.body['input']);
    for (const text of never) expect(sent).not.toContain(text);
  });
});
