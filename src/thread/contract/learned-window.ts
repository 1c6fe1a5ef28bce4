import { grouped } from '../../protocol/grouped.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { limitOf } from '../../state/model-limits.ts';
import { windowNow } from './contract-now.ts';
import type { Turn } from '../parts/parts.ts';
import { warnOnceForAll } from '../parts/warn-once.ts';

/**
 * After a refusal: what the server named counts from here on in this thread, and the user learns what to configure.
 * `assumed`: the effective window before the refusal.
 */
export function learnWindow(turn: Turn, assumed: number): void {
  const { log, envelope } = turn;
  const { identity, window } = envelope;
  const model = identity.model.slug;
  const named = limitOf(log.state.limits, { provider: identity.provider, model })?.named;
  if (named === undefined || named.assumed !== window.configured) return;
  const { effective } = windowNow(turn);
  const what = { model, named: named.tokens, assumed };
  const about = `${identity.provider} ${model} ${named.tokens}`;
  if (effective !== assumed) warnOnceForAll(turn, learned(what), about);
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
    message: `The provider reports a window of ${grouped(named)} tokens for ${model}; Capstan assumed ${grouped(assumed)}. This thread now uses ${grouped(named)}.`,
    next: `To use it in every thread, add \`model_context_window = ${named}\` to your config.toml.`,
  };
}

function unusable({ model, named, assumed }: Named): Outcome {
  return {
    code: 'window-too-small',
    message: `The provider reports a window of ${grouped(named)} tokens for ${model}, too small for instructions, tools and a conversation. Capstan still assumes ${grouped(assumed)}.`,
    next: 'Give the model a larger window on its server, or choose another model.',
  };
}
