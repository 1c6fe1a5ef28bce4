import { join } from 'node:path';
import type { ConfigLayer } from '../../config/config-layer.ts';
import { sourceOf } from '../../config/config-layer.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import { loadConfigFile, type LoadedLayer } from './config-file.ts';
import { fileSystem, kindOfEntry } from '../../disk/file-system.ts';
import { valueAt } from '../../protocol/json.ts';

const ending = '.config.toml';

/** The profile that was asked for by name: `NAME.config.toml` in the home folder. It must exist. */
export async function loadProfileFile(
  profile: string,
  { home, osHome, user }: { readonly home: string; readonly osHome: string; readonly user: ConfigLayer },
): Promise<LoadedLayer> {
  const path = join(home, `${profile}${ending}`);
  const empty: ConfigLayer = { name: 'profile', source: path, values: {} };
  // Without this rule the name could lead to any file.
  if (!/^[A-Za-z0-9_-]+$/.test(profile)) {
    const message = `${JSON.stringify(profile)} is not the name of a profile.`;
    return {
      layer: { ...empty, source: home },
      problems: [problem(home, message, 'Use letters, digits, "-" and "_".')],
    };
  }
  if (kindOfEntry(path) !== 'missing') return loadConfigFile({ name: 'profile', path, osHome });
  const message = `There is no profile ${JSON.stringify(profile)}: ${path} does not exist.`;
  return { layer: empty, problems: [problem(path, message, advice(profile, { home, user }))] };
}

function advice(profile: string, { home, user }: { readonly home: string; readonly user: ConfigLayer }): string {
  const old = ['profiles', profile];
  if (valueAt(user.values, old) !== undefined) {
    return `Make that file and move the keys of [profiles.${profile}] (${sourceOf(user, old)}) into it.`;
  }
  const known = profilesIn(home);
  const others = known.length === 0 ? '' : ` Profiles that exist: ${known.join(', ')}.`;
  return `Make that file and write the keys of the profile into it.${others}`;
}

function profilesIn(home: string): readonly string[] {
  if (kindOfEntry(home) !== 'folder') return [];
  return fileSystem
    .readdirSync(home)
    .filter((name) => name.endsWith(ending) && name !== ending)
    .map((name) => name.slice(0, -ending.length))
    .toSorted();
}

function problem(source: string, message: string, next: string): ConfigProblem {
  return { code: 'config-profile', message, next, severity: 'error', source };
}
