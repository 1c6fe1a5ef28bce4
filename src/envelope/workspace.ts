import type { Trust } from '../config/trust.ts';
import type { Places } from '../policy/resolve-policy.ts';
import type { Facts } from './facts.ts';
import type { Settings } from './settings.ts';

/** Where the turn works, and when. */
export interface Workspace {
  /** Which machine or container commands run in. There is one so far: this one. */
  readonly environment: 'local';
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly places: Places;
  readonly trust: Trust;
  readonly shell: { readonly name: string; readonly path: string };
  readonly date: string;
  readonly timezone: string;
}

export function resolveWorkspace(facts: Facts, settings: Settings): Workspace {
  return {
    environment: 'local',
    cwd: settings.cwd,
    roots: facts.places.workspaceRoots,
    places: facts.places,
    trust: facts.trust,
    shell: facts.shell,
    date: facts.time.date,
    timezone: facts.time.timezone,
  };
}
