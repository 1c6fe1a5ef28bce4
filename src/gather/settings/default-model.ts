import { localProvider } from '../../config/local-providers.ts';
import type { Catalogue } from '../../envelope/model-record.ts';

/** The model for a thread of that provider when nobody named one. */
export function defaultModel(provider: string, { models }: Pick<Catalogue, 'models'>): string {
  return localProvider(provider)?.model ?? models[0].slug;
}
