import type { Envelope } from '../../envelope/envelope.ts';
import { isServedAs } from '../../envelope/served-model.ts';
import type { Turn } from '../parts/parts.ts';
import { warnOnceForAll } from '../parts/warn-once.ts';

/** Warns, once in the life of a thread, of a server that names another model than the one that was asked for. */
export function warnOfOtherModel(turn: Turn, { identity }: Envelope, served: string): void {
  const { model, provider } = identity;
  if (isServedAs(model.slug, served)) return;
  const outcome = {
    code: 'other-model',
    message: `${model.slug} was asked for, and ${provider} says that ${served} answers.`,
    next: 'The provider does not say why. If you did not expect it, check the model and the settings of the provider.',
  };
  warnOnceForAll(turn, outcome, `${provider}/${model.slug} ${served}`);
}
