import type { Facts, TimeFacts } from './facts.ts';
import type { Settings } from './settings.ts';

/** Where the turn works, and when. */
export interface Workspace extends Pick<Facts, 'places' | 'trust' | 'shell'>, Pick<TimeFacts, 'date' | 'timezone'> {
  /** Which machine or container commands run in. There is one so far: this one. */
  readonly environment: 'local';
  readonly cwd: string;
  readonly roots: readonly string[];
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
