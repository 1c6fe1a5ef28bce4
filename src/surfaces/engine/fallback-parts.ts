import { providerAddress } from '../../config/providers.ts';
import { effortFor } from '../../envelope/effort.ts';
import { lookUpModel } from '../../envelope/model-record.ts';
import type { Settings } from '../../envelope/settings.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadParts } from '../../thread/parts/parts.ts';
import type { ConfiguredThread } from './configure-thread.ts';
import type { EngineParts } from './engine-parts.ts';
import { locatedProvider, threadProviders } from './thread-providers.ts';

type Configured = Pick<ConfiguredThread, 'config' | 'catalogue' | 'settings'>;

/** The parts of a thread, with what it takes to continue a turn with `model_fallback`. */
export function withFallback(engine: EngineParts, configured: Configured, parts: ThreadParts): ThreadParts {
  if (configured.settings.fallback === undefined) return parts;
  return { ...parts, fallback: (settings) => openFallback(engine, { ...configured, settings }, parts) };
}

/** Undefined: the settings have that model already. */
async function openFallback(
  engine: EngineParts,
  { config, catalogue, settings }: Configured,
  parts: ThreadParts,
): ReturnType<NonNullable<ThreadParts['fallback']>> {
  const { fallback } = settings;
  if (fallback === undefined) return undefined;
  const { model, provider: id = settings.provider } = fallback;
  if (model === settings.model && id === settings.provider) return undefined;
  const other = withModel(settings, { model, id }, catalogue);
  if (id === settings.provider) return { settings: other, parts };
  const provider = locatedProvider(config, id, engine.options.env);
  if ('code' in provider) return provider;
  const made = await threadProviders(engine, { config, settings }).make(provider);
  if ('code' in made) return made;
  const { accessPrograms } = made.capabilities;
  const about = defined({ sampling: provider.sampling });
  const facts = { address: providerAddress(provider), wire: made.wire, accessPrograms, ...about };
  return {
    settings: other,
    parts: {
      ...parts,
      provider: made,
      streamMaxRetries: provider.streamMaxRetries,
      gatherFacts: async (chosen) => ({ ...(await parts.gatherFacts(chosen)), provider: facts }),
    },
  };
}

/** An effort that the other model lacks becomes one that it has; a tier is that of its own model. */
function withModel(
  { effort: had, serviceTier: _tier, origins, ...rest }: Settings,
  { model, id }: { readonly model: string; readonly id: string },
  catalogue: Configured['catalogue'],
): Settings {
  const effort = effortFor(lookUpModel(catalogue, model), { model: rest.model, ...defined({ effort: had }) });
  return { ...rest, ...defined({ effort, origins }), model, provider: id };
}
