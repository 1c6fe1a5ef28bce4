import type { NamedWindow, ThreadFacts } from '../../envelope/facts.ts';
import { requestTokens } from '../../history/ledger.ts';
import { instructionsOf } from '../../state/instructions.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import type { ThreadParts } from '../parts/parts.ts';

/** What four fifths of a window must leave beside instructions and tools. In a smaller one no conversation fits. */
const leastSpace = 4000;
const usedShare = 0.8;

/**
 * The windows that servers named in this thread, as facts for the contract of a turn. A file may claim anything: one
 * that leaves no space for a conversation is left out.
 */
export function namedWindows(
  { router }: Pick<ThreadParts, 'router'>,
  state: Pick<ThreadState, 'limits' | 'meta' | 'instructions'>,
): Pick<ThreadFacts, 'windows'> {
  const named = state.limits.flatMap(({ provider, model, named: claim }): readonly NamedWindow[] =>
    claim === undefined ? [] : [{ provider, model, ...claim }],
  );
  if (named.length === 0) return {};
  const instructions = instructionsOf(state)?.text ?? '';
  const fixed = requestTokens({ instructions, tools: router.specs(router.tools.map(({ name }) => name)), input: [] });
  const windows = named.filter(({ tokens }) => tokens * usedShare >= fixed + leastSpace);
  return windows.length === 0 ? {} : { windows };
}
