import { isGateOpen, featureGates } from '../../config/feature-gates.ts';
import { configInFolder } from '../../gather/config/config-in-folder.ts';
import { findHookPlaces } from '../../gather/hooks/hook-places.ts';
import type { KnownHook } from '../../hooks/hook-definition.ts';
import type { EngineParts } from './engine-parts.ts';

/** Hooks of a folder about which the user has to decide: those that are new, or have changed since they were trusted. */
export async function idleHooks(
  parts: Pick<EngineParts, 'base' | 'options'>,
  folder: string,
): Promise<readonly KnownHook[]> {
  return (await hooksInForce(parts, folder)).filter(({ trust }) => trust === 'untrusted' || trust === 'modified');
}

/** All hooks of a folder as this engine runs them: what the user decided since it was loaded counts for the next one. */
export async function hooksInForce(
  { base, options }: Pick<EngineParts, 'base' | 'options'>,
  folder: string,
): Promise<readonly KnownHook[]> {
  const { config, layers } = await configInFolder(base, folder);
  const places = findHookPlaces(base, layers, folder, options);
  if (places === undefined || !isGateOpen('hooks', featureGates(config.features ?? {}))) return [];
  const { loadHooks } = await import('../../hooks/load-hooks.ts');
  return (await loadHooks(places)).hooks;
}
