import type { Config } from '../../config/config.ts';
import { providerAddress, type ProviderProblem } from '../../config/providers.ts';
import type { Facts } from '../../envelope/facts.ts';
import type { Settings } from '../../envelope/settings.ts';
import type { Provider } from '../../ports/provider.ts';
import { defined } from '../../protocol/defined.ts';
import type { EngineParts } from './engine-parts.ts';
import type { ProviderModels } from './provider-models.ts';
import type { ThreadModels } from './thread-models.ts';
import { locatedProvider, threadProviders } from './thread-providers.ts';

/** A provider that answers turns of a thread, and all that is known of it. */
export interface AnsweringProvider {
  readonly provider: Provider;
  readonly facts: NonNullable<Facts['provider']>;
  readonly models: ProviderModels;
  readonly streamMaxRetries: number;
}

interface AskingThread {
  readonly config: Config;
  readonly settings: Pick<Settings, 'features'>;
  readonly models: ThreadModels;
}

/** Nothing is sent or opened by that. */
export async function answeringProvider(
  engine: EngineParts,
  { config, settings, models }: AskingThread,
  id: string,
): Promise<AnsweringProvider | ProviderProblem> {
  const located = locatedProvider(config, id, engine.options.env);
  if ('code' in located) return located;
  const known = models.of(id);
  if ('code' in known) return known;
  const provider = await threadProviders(engine, { config, settings }).make(located);
  if ('code' in provider) return provider;
  const { accessPrograms } = provider.capabilities;
  const about = defined({ sampling: located.sampling });
  const facts = { address: providerAddress(located), wire: provider.wire, accessPrograms, ...about };
  return { provider, facts, models: known, streamMaxRetries: located.streamMaxRetries };
}
