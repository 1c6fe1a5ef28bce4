import type { Config } from '../../config/config.ts';
import { featureGates } from '../../config/feature-gates.ts';
import type { OmittedContext, Settings, SpendingLimits, WindowSettings } from '../../envelope/settings.ts';
import { defined } from '../../protocol/defined.ts';

/** What was set about the window, and nothing else: defaults are the envelope's. */
export function windowSettings(config: Config): WindowSettings {
  const { modelAutoCompactTokenLimitScope: scope } = config;
  return defined({
    contextWindow: config.modelContextWindow,
    autoCompactTokens: config.modelAutoCompactTokenLimit,
    autoCompactScope: scope === 'body_after_prefix' ? ('body' as const) : scope,
    toolOutputTokens: config.toolOutputTokenLimit,
    skillsTokens: config.skills?.maxContextTokens,
    ...config.window,
  });
}

/** Undefined: there is no limit. */
export function spendingLimits(config: Config): SpendingLimits | undefined {
  return unlessEmpty(
    defined({
      turnTokens: config.maxTurnTokens,
      threadTokens: config.maxThreadTokens,
      turnCost: config.maxTurnCost,
      threadCost: config.maxThreadCost,
    }),
  );
}

/** A name alone is a model of the same provider. */
export function fallbackModel({ modelFallback: chosen }: Config): Settings['fallback'] {
  return typeof chosen === 'string' ? { model: chosen } : chosen;
}

/** `auto` leaves the choice to the engine, as if none had been made. */
export function compactionStrategy({ compaction }: Config): Settings['compaction'] {
  return compaction?.strategy === 'auto' ? undefined : compaction?.strategy;
}

/** What was set about AGENTS.md files; undefined when nothing was. */
export function instructionRules({ origins, ...config }: Config): Settings['instructionRules'] {
  const ifSet = <Value>(key: string, value: Value): Value | undefined => (origins.has(key) ? value : undefined);
  const rules = defined({
    maxBytes: ifSet('project_doc_max_bytes', config.projectDocMaxBytes),
    fallbackFilenames: ifSet('project_doc_fallback_filenames', config.projectDocFallbackFilenames),
    rootMarkers: ifSet('project_root_markers', config.projectRootMarkers),
  });
  return unlessEmpty(rules);
}

export function omittedContext(config: Config): readonly OmittedContext[] | undefined {
  const included: readonly (readonly [OmittedContext, boolean | undefined])[] = [
    ['permissions', config.includePermissionsInstructions],
    ['collaboration-mode', config.includeCollaborationModeInstructions],
    ['environment', config.includeEnvironmentContext],
    ['apps', config.includeAppsInstructions],
    ['skills', config.skills?.includeInstructions],
  ];
  const out = included.filter(([, include]) => include === false).map(([part]) => part);
  return out.length === 0 ? undefined : out;
}

export function realtimeSetting({ experimentalRealtimeStartInstructions: text }: Config): Settings['realtime'] {
  return notBlank(text) === undefined ? undefined : { active: false, startInstructions: text as string };
}

export function configuredFeatures({ features }: Config): Settings['features'] {
  return unlessEmpty(featureGates(features ?? {}));
}

export function notBlank(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

function unlessEmpty<Value extends object>(value: Value): Value | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
