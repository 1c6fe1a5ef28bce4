import { providerCredentials } from '../../adapters/model/http/auth/provider-credentials.ts';
import { providerFor } from '../../adapters/model/provider-for.ts';
import { defined } from '../../base/objects.ts';
import type { Config } from '../../core/config/config.ts';
import { isGateOpen } from '../../core/config/features.ts';
import type { ProviderConfig, ProviderProblem } from '../../core/config/providers/provider-config.ts';
import { providerAddress, resolveProvider, withLocalAddress } from '../../core/config/providers/provider-config.ts';
import type { GatheredFacts } from '../../core/envelope/facts.ts';
import { effortFor } from '../../core/envelope/identity.ts';
import { type Catalogue, lookUpModel } from '../../core/envelope/model-record.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import type { ModelProvider } from '../../ports/model.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { isSameProvider, type ProviderName, providerName } from '../../protocol/provider-name.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import type { EngineParts } from '../engine-parts.ts';
import { fallbackUnusable } from '../thread/thread-fallback.ts';
import type { ConfiguredThread } from '../thread-setup/configure-thread.ts';
import type { ThreadParts } from '../thread/thread-parts.ts';
import { type ProviderModels, providerModels } from './provider-models.ts';

/** A configured provider, at the address that the environment gives it. */
export function locatedProvider(
  config: Config,
  id: string,
  env: EnvironmentVariables,
): ProviderConfig | ProviderProblem {
  const known = resolveProvider(config, id, env);
  return 'code' in known ? known : withLocalAddress(known, env);
}

export const nameOfProvider = (provider: ProviderConfig): ProviderName =>
  providerName(provider.id, { address: providerAddress(provider), wire: provider.wireApi });

/** Makes the providers of one thread. Sends and opens nothing. */
export function threadProviders(
  { options, clock, logins, requests, programs, programFolder, sendTo }: EngineParts,
  { config, settings }: { readonly config: Config; readonly settings: Pick<Settings, 'features'> },
) {
  const { env: environment, formats = [] } = options;
  const gates = settings.features ?? {};
  const make = (configured: ProviderConfig): Promise<ModelProvider | ProviderProblem> => {
    const supportsWebsockets = configured.supportsWebsockets && isGateOpen('responses_websockets', gates);
    const provider = { ...configured, supportsWebsockets };
    const sources = { environment, logins, requests, programs, programFolder, now: () => clock.now() };
    const credentials = providerCredentials(provider, sources);
    const client = { provider, credentials, environment, limits: config.answer, clock, random: Math.random, sendTo };
    return providerFor(client, { gates, formats });
  };
  /** Finds a configured provider, at the same address if that is known. */
  const find = async (wanted: ProviderName): Promise<ModelProvider | undefined> => {
    const found = locatedProvider(config, wanted.id, environment);
    if ('code' in found || !isSameProvider(wanted, nameOfProvider(found))) return undefined;
    const made = await make(found);
    return 'code' in made ? undefined : made;
  };
  return { make, find };
}

/** A thread's facts about models by provider: those of one provider never count for another. */
export interface ThreadModels {
  of(provider: string): ProviderModels | ProviderProblem;
  /** Includes everything known by now about the provider in these settings. */
  catalogue(settings: Pick<Settings, 'provider'>): Catalogue;
  /** For a provider that answered earlier. If it is no longer configured, only the catalogue counts. */
  catalogueOf(name: ProviderName): Catalogue;
  release(): Promise<void>;
}

export function threadModels(
  engine: EngineParts,
  { config, described }: { readonly config: Config; readonly described: Catalogue },
): ThreadModels {
  const made = new Map<string, ProviderModels>();
  const of = (id: string): ProviderModels | ProviderProblem => {
    const known = made.get(id);
    if (known !== undefined) return known;
    const provider = locatedProvider(config, id, engine.options.env);
    if ('code' in provider) return provider;
    const models = providerModels(engine, { provider, described, config });
    made.set(id, models);
    return models;
  };
  return {
    of,
    catalogue({ provider }) {
      const models = of(provider);
      return 'code' in models ? described : models.catalogue();
    },
    catalogueOf(name) {
      const found = locatedProvider(config, name.id, engine.options.env);
      return 'code' in found || !isSameProvider(name, nameOfProvider(found))
        ? described
        : this.catalogue({ provider: name.id });
    },
    async release() {
      await Promise.all([...made.values()].map((models) => models.release()));
    },
  };
}

export interface AnsweringProvider {
  readonly provider: ModelProvider;
  readonly facts: NonNullable<GatheredFacts['provider']>;
  readonly models: ProviderModels;
  readonly streamMaxRetries: number;
}

/** Sends and opens nothing. */
export async function answeringProvider(
  engine: EngineParts,
  { config, settings, models }: Pick<ConfiguredThread, 'config' | 'settings' | 'models'>,
  id: string,
): Promise<AnsweringProvider | ProviderProblem> {
  const located = locatedProvider(config, id, engine.options.env);
  if ('code' in located) return located;
  const known = models.of(id);
  if ('code' in known) return known;
  const provider = await threadProviders(engine, { config, settings }).make(located);
  if ('code' in provider) return provider;
  const { accessPrograms } = provider.capabilities;
  const sampled = defined({ sampling: located.sampling });
  const facts = { address: providerAddress(located), wire: provider.wire, accessPrograms, ...sampled };
  return { provider, facts, models: known, streamMaxRetries: located.streamMaxRetries };
}

interface FallbackSources {
  readonly parts: ThreadParts;
  readonly own: AnsweringProvider;
  open(provider: string): Promise<AnsweringProvider | ProviderProblem>;
  partsUnder(answering: AnsweringProvider): Partial<ThreadParts>;
}

export function fallbackNotices({ fallback, provider }: Settings, models: ThreadModels): readonly Outcome[] {
  const found = fallback && models.of(fallback.provider ?? provider);
  return found !== undefined && 'code' in found ? [fallbackUnusable(found)] : [];
}

export function withFallback({ parts, own, open, partsUnder }: FallbackSources): ThreadParts {
  // A provider's connections serve all turns that fall back to it.
  const opened = new Map<string, { readonly answering: AnsweringProvider; readonly parts: ThreadParts }>();
  const other = async (id: string, first: string) => {
    if (id === first) return { answering: own, parts };
    const known = opened.get(id);
    if (known !== undefined) return known;
    const answering = await open(id);
    if ('code' in answering) return answering;
    const made = { answering, parts: { ...parts, ...partsUnder(answering) } };
    opened.set(id, made);
    return made;
  };
  return {
    ...parts,
    /** Undefined if the settings have that model already. */
    async fallback(settings) {
      const { fallback } = settings;
      if (fallback === undefined) return undefined;
      const { model, provider: id = settings.provider } = fallback;
      if (model === settings.model && id === settings.provider) return undefined;
      const found = await other(id, settings.provider);
      if ('code' in found) return found;
      const { models } = found.answering;
      await models.learn(model);
      return { settings: withModel(settings, { model, id }, models.catalogue()), parts: found.parts };
    },
    async release() {
      await parts.release?.();
      for (const { answering } of opened.values()) answering.provider.client.close?.();
    },
  };
}

/** Settings for another model. An effort that it lacks is replaced; the tier of the previous model is dropped. */
function withModel(
  { effort: had, serviceTier: _tier, origins, ...rest }: Settings,
  { model, id }: { readonly model: string; readonly id: string },
  catalogue: Catalogue,
): Settings {
  const effort = effortFor(lookUpModel(catalogue, model), { model: rest.model, ...defined({ effort: had }) });
  return { ...rest, ...defined({ effort, origins }), model, provider: id };
}
