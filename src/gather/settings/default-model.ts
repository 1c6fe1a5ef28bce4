import { localProvider } from '../../config/local-providers.ts';
import type { Catalogue } from '../../envelope/model-record.ts';

/** The model for a thread of that provider when none is named. */
export function defaultModel(provider: string, { models }: Pick<Catalogue, 'models'>): string {
  return localProvider(provider)?.model ?? models[0].slug;
}
