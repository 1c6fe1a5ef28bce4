import type { Trust } from '../config/trust.ts';
import type { ClientFacts, Facts, ProviderFacts } from '../envelope/facts.ts';
import type { Catalogue } from '../envelope/model-record.ts';
import type { PriceEntry } from '../envelope/price.ts';
import type { OwnPlaces } from '../policy/own-places.ts';
import type { Clock } from '../ports/clock.ts';
import { defined } from '../protocol/defined.ts';
import type { PermissionProfile } from '../protocol/permission-profile.ts';
import { findPlaces } from './system/places.ts';
import type { ProgramFiles } from '../ports/program-files.ts';
import { findShell } from './system/shell.ts';
import { timeFactsAt } from './system/timezone.ts';

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
  /** Prices of models, those that the user set first. */
  readonly prices?: readonly PriceEntry[];
  /** What belongs to the engine itself. */
  readonly own: OwnPlaces;
  /** What the turn is to run under: of what it names, some may not exist. */
  readonly profile: PermissionProfile;
  /** Says which programs could have been put where they are by a command. */
  readonly programFiles: ProgramFiles;
  /** Where commands may write besides the workspace and temporary folders, in this turn or under another mode. */
  readonly roots?: readonly string[];
  readonly provider?: ProviderFacts;
  /** Policies are fitted to Landlock. Absent: they are not. */
  readonly landlock?: true;
  /** Whether the user has plugins. */
  readonly hasPlugins?: boolean;
}

/** What is true at the start of a turn. */
export async function gatherFacts(sources: FactSources): Promise<Facts> {
  const { clock, env, cwd, client, trust, catalogue, prices, provider, hasPlugins } = sources;
  return {
    time: timeFactsAt(clock.now(), env),
    shell: findShell(env, { cwd, files: sources.programFiles, roots: sources.roots ?? [] }),
    places: findPlaces(cwd, env, sources),
    trust,
    catalogue,
    client,
    ...defined({ prices, provider }),
    ...(hasPlugins === true ? { found: { plugins: true } } : {}),
  };
}
