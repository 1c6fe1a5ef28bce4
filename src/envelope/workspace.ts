import type { Places } from '../policy/resolve-policy.ts';
import type { Facts } from './facts.ts';
import type { Identity } from './identity.ts';
import type { Settings } from './settings.ts';

/** Where the turn works, and when. */
export interface Workspace {
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly places: Places;
  readonly shell: { readonly name: string; readonly path: string };
  readonly date: string;
  readonly timezone: string;
}

export function resolveWorkspace(facts: Facts, settings: Settings, _before: { identity: Identity }): Workspace {
  return {
    cwd: settings.cwd,
    roots: facts.places.workspaceRoots,
    places: facts.places,
    shell: facts.shell,
    date: facts.time.date,
    timezone: facts.time.timezone,
  };
}
