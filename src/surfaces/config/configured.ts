import { defaultLayers } from '../../config/defaults.ts';
import type { ConfigLayer } from '../../config/config-layer.ts';
import { byGravity, type ConfigProblem } from '../../config/config-problem.ts';
import { type EffectiveValues, effectiveValues } from '../../config/effective-values.ts';
import type { Trust } from '../../config/trust.ts';
import { configInFolder } from '../../gather/config-in-folder.ts';
import { type ConfigChoices, loadBaseLayers } from '../../gather/config-layers.ts';
import type { Requirements } from '../../policy/requirements.ts';
import { overruled } from './overruled.ts';

/** Everything about the configuration in one folder that can be shown. */
export interface Configured {
  readonly trust: Trust;
  /** Lowest first: the defaults, and also the layers that do not count. */
  readonly layers: readonly ConfigLayer[];
  readonly effective: EffectiveValues;
  readonly problems: readonly ConfigProblem[];
  readonly requirements: Requirements;
  /** Where they are looked for; absent where the system has no place for them. */
  readonly requirementsFile?: string;
}

export async function loadConfigured(home: string, folder: string, choices: ConfigChoices): Promise<Configured> {
  const base = await loadBaseLayers(home, choices);
  const { config, layers, problems } = await configInFolder(base, folder);
  const all = [...defaultLayers(config.trust), ...layers];
  return {
    trust: config.trust,
    layers: all,
    effective: effectiveValues(all, { unknown: choices.strictConfig === true ? 'error' : 'warning' }),
    problems: byGravity([...base.problems, ...problems, ...overruled(config, base.requirements)]),
    requirements: base.requirements,
    ...(base.requirementsFile === undefined ? {} : { requirementsFile: base.requirementsFile }),
  };
}
