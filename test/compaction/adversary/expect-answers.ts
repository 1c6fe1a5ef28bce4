import { expect } from 'vitest';
import type { Answers } from './answers.ts';
import { play, type Trigger } from './play.ts';
import type { Transcript } from './transcripts.ts';

export async function expectAnswers(
  { does, told, never = [] }: Answers,
  { transcript, trigger }: { readonly transcript: Transcript; readonly trigger: Trigger },
): Promise<void> {
  const played = await play({ transcript, trigger, does });
  expect({ told: played.told, posts: played.asked.length }).toEqual({ told: [told], posts: told.requests });
  const sent = JSON.stringify(played.next.body['input']);
  for (const text of never) expect(sent).not.toContain(text);
}
