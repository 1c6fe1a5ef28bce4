import type { Config } from '../../config/config.ts';
import { type GivenGates, isGateOpen } from '../../config/feature-gates.ts';
import type { InstalledPlugin } from '../../gather/plugins/installed-plugins.ts';

/** The plugins that are installed now, and not turned off. */
export type ThreadPlugins = () => Promise<readonly InstalledPlugin[]>;

/** Nothing that looks for plugins is loaded where the configuration names none. */
export function threadPlugins(
  home: string,
  { plugins = {} }: Pick<Config, 'plugins'>,
  gates: GivenGates,
): ThreadPlugins {
  if (Object.keys(plugins).length === 0 || !isGateOpen('plugins', gates)) return async () => [];
  return async () => (await import('../../gather/plugins/installed-plugins.ts')).findPlugins(home, plugins);
}
