import type { NamedWindow, ThreadFacts } from '../envelope/facts.ts';
import { requestTokens } from '../history/ledger.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { instructionsOf } from '../state/instructions.ts';
import { limitOf } from '../state/model-limits.ts';
import type { ThreadState } from '../state/thread-state.ts';
import type { ThreadParts, Turn } from './parts.ts';
import { warnOnceForAll } from './warn-once.ts';

/** What four fifths of a window must leave beside instructions and tools. In a smaller one no conversation fits. */
const leastRoom = 4000;
const usedShare = 0.8;

/**
 * The windows that servers named in this thread, as facts for the contract of a turn. A file may claim anything: one
 * that leaves no room for a conversation is left out.
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
  const windows = named.filter(({ tokens }) => tokens * usedShare >= fixed + leastRoom);
  return windows.length === 0 ? {} : { windows };
}

/** After a refusal: what the server named counts from here on in this thread, and the user learns what to configure. */
export function learnWindow(turn: Turn): void {
  const { log, envelope } = turn;
  const { identity, window } = envelope;
  const model = identity.model.slug;
  const named = limitOf(log.state.limits, { provider: identity.provider, model })?.named;
  if (named === undefined || named.assumed !== window.configured) return;
  turn.renew();
  const { effective } = turn.envelope.window;
  const what = { model, named: named.tokens, assumed: window.effective };
  const about = `${identity.provider} ${model} ${named.tokens}`;
  if (effective !== window.effective) warnOnceForAll(turn, learned(what), about);
  else if (named.tokens < effective) warnOnceForAll(turn, unusable(what), about);
}

interface Named {
  readonly model: string;
  readonly named: number;
  readonly assumed: number;
}

function learned({ model, named, assumed }: Named): Outcome {
  return {
    code: 'window-learned',
    message: `The provider says that the window of ${model} holds ${named} tokens, and Capstan used up to ${assumed} of it. This thread keeps to what the provider says from now on.`,
    next: `To use it in every thread, put \`model_context_window = ${named}\` into your config.toml.`,
  };
}

function unusable({ model, named, assumed }: Named): Outcome {
  return {
    code: 'window-too-small',
    message: `The provider says that the window of ${model} holds ${named} tokens, which leaves no room for a conversation beside instructions and tools. Capstan still uses up to ${assumed}.`,
    next: 'Give the model a larger window where it is served, or choose another model.',
  };
}
