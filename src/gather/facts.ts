import type { Trust } from '../config/trust.ts';
import type { ClientFacts, Facts } from '../envelope/facts.ts';
import type { Catalogue } from '../envelope/model-record.ts';
import type { Clock } from '../ports/clock.ts';
import { findPlaces } from './places.ts';
import { findShell } from './shell.ts';
import { timeFactsAt } from './timezone.ts';

export interface FactSources {
  readonly clock: Clock;
  /** The environment that this process was started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly cwd: string;
  readonly client: ClientFacts;
  /** What is decided about the project that holds the folder. */
  readonly trust: Trust;
  /** The models that are known. */
  readonly catalogue: Catalogue;
}

/** What is true at the start of a turn. */
export async function gatherFacts({ clock, env, cwd, client, trust, catalogue }: FactSources): Promise<Facts> {
  return {
    time: timeFactsAt(clock.now(), env),
    shell: findShell(env, cwd),
    places: findPlaces(cwd, env),
    trust,
    catalogue,
    client,
  };
}
