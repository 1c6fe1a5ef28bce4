import type { Line } from '../../protocol/line.ts';
import type { TakenBackRequests } from '../engine/taken-back.ts';
import { replayRequests } from './replay-requests.ts';

/** Rebuilds the requests that were taken back, each once and as the thread was then. They are counted from 1. */
export async function* replayTakenBack(
  { parts }: Pick<TakenBackRequests, 'parts'>,
  each: (lines: AsyncIterable<Line>) => AsyncIterable<Line>,
): ReturnType<typeof replayRequests> {
  let number = 0;
  for (const { from, lines } of parts) {
    for await (const { request, shown } of replayRequests(each(lines()))) {
      // Other programs record no requests, and what they sent is not counted either.
      if (request.kind === 'rebuilt' && (request.line.ordinal ?? 0) >= from)
        yield { request, shown: { ...shown, number: ++number } };
    }
  }
}
