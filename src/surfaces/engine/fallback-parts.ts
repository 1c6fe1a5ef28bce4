import type { ProviderProblem } from '../../config/providers.ts';
import { effortFor } from '../../envelope/effort.ts';
import { type Catalogue, lookUpModel } from '../../envelope/model-record.ts';
import type { Settings } from '../../envelope/settings.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadParts } from '../../thread/parts/parts.ts';
import { fallbackUnusable } from '../../thread/thread-fallback.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { AnsweringProvider } from './answering-provider.ts';
import type { ThreadModels } from './thread-models.ts';

interface FallbackSources {
  readonly parts: ThreadParts;
  readonly own: AnsweringProvider;
  open(provider: string): Promise<AnsweringProvider | ProviderProblem>;
  /** What of a thread's parts depends on the provider that answers. */
  partsUnder(answering: AnsweringProvider): Partial<ThreadParts>;
}

/** What the user should know of `model_fallback` before it is needed. */
export function fallbackNotices({ fallback, provider }: Settings, models: ThreadModels): readonly Outcome[] {
  const found = fallback && models.of(fallback.provider ?? provider);
  return found !== undefined && 'code' in found ? [fallbackUnusable(found)] : [];
}

/** The parts of a thread, with what it takes to continue a turn with `model_fallback`. */
export function withFallback({ parts, own, open, partsUnder }: FallbackSources): ThreadParts {
  // The connections of a provider serve all turns that fall back to it.
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
    /** Undefined: the settings have that model already. */
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

/** An effort that the other model lacks becomes one that it has; a tier is that of its own model. */
function withModel(
  { effort: had, serviceTier: _tier, origins, ...rest }: Settings,
  { model, id }: { readonly model: string; readonly id: string },
  catalogue: Catalogue,
): Settings {
  const effort = effortFor(lookUpModel(catalogue, model), { model: rest.model, ...defined({ effort: had }) });
  return { ...rest, ...defined({ effort, origins }), model, provider: id };
}
