import type { ConfigLayer } from '../../config/config-layer.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import type { BaseLayers, ConfigChoices } from '../../gather/config/config-layers.ts';
import { findHookPlaces } from '../../gather/hooks/hook-places.ts';
import type { HookDefinition } from '../../hooks/hook-definition.ts';

export interface HooksInFolder {
  /** Those that may run, in the order in which they are configured. */
  readonly hooks: readonly HookDefinition[];
  readonly problems: readonly ConfigProblem[];
}

interface HookChoices {
  readonly cwd: string;
  readonly options: Pick<ConfigChoices, 'systemFolders' | 'ignoreUserConfig'>;
  /** A warning names hooks that do not run when a thread is begun, and not again. */
  readonly isNew: boolean;
}

/** Nothing that reads hooks is loaded where there are none. */
export async function hooksInFolder(
  base: BaseLayers,
  layers: readonly ConfigLayer[],
  { cwd, options, isNew }: HookChoices,
): Promise<HooksInFolder> {
  const places = findHookPlaces(base, layers, cwd, options);
  if (places === undefined) return { hooks: [], problems: [] };
  const { loadHooks, mayRun } = await import('../../hooks/load-hooks.ts');
  const { hooks, problems } = await loadHooks(places);
  const idle = hooks.filter((hook) => !mayRun(hook) && hook.trust !== 'disabled');
  const { untrustedHooks } = await import('../../hooks/untrusted-hooks.ts');
  return { hooks: hooks.filter(mayRun), problems: [...problems, ...(isNew ? untrustedHooks(idle) : [])] };
}
