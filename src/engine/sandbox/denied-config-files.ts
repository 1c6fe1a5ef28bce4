import type { Config } from '../../core/config/config.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { readGuard } from '../../adapters/gather/files/read-guard.ts';
import { findPermissionPlaces } from '../../adapters/gather/permission-places.ts';
import { deniesRead } from '../../core/policy/requirements.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { resolvePolicy } from '../../core/policy/profiles/resolve-policy.ts';
import type { EngineParts } from '../engine-parts.ts';

type Denies = (path: string) => boolean;

/**
 * Files that Capstan does not read, whatever configuration names them, since their content is sent and shown. Those in
 * /proc contain the variables of this process and of others.
 */
export function configFileDenier({ base, ownPlaces }: Pick<EngineParts, 'base' | 'ownPlaces'>): Denies {
  return (path) =>
    isWithin(path, '/proc') ||
    deniesRead(base.requirements, path) ||
    ownPlaces().secrets.some((secret) => isWithin(path, secret));
}

const keys = ['model_instructions_file', 'experimental_compact_prompt_file', 'model_catalog_json'];

/** Files that a project names must be open to the model as well. Undefined: no project names a file. */
export function projectConfigFileDenier(engine: EngineParts, { origins }: Config, settings: Settings) {
  const { cwd, sandbox: profile } = settings;
  if (!keys.some((key) => origins.get(key)?.startsWith('project ') === true)) return undefined;
  const places = findPermissionPlaces(cwd, engine.options.env, { own: engine.ownPlaces(), profile });
  const { deniesModel } = readGuard(resolvePolicy(profile, places));
  const denies = configFileDenier(engine);
  return (path: string) => denies(path) || deniesModel(path);
}
