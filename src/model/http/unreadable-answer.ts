import type { ModelFailure } from '../../ports/model-client.ts';
import { modelFailure } from './failure.ts';

const messages = {
  event: 'The provider sent an event of the answer that cannot be read.',
  item: 'The provider sent an item of the answer that cannot be read.',
  end: 'The provider ended its answer with an event that cannot be read.',
} as const;

export function unreadableAnswer(what: keyof typeof messages): ModelFailure {
  return modelFailure({ code: 'server-error', message: messages[what], retry: {} });
}
