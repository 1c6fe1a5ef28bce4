import { defined } from '../../base/objects.ts';
import type { Trust } from '../../core/config/project-trust.ts';
import type { ClientFacts, GatheredFacts, ProviderFacts, TimeFacts } from '../../core/envelope/facts.ts';
import type { Catalogue } from '../../core/envelope/model-record.ts';
import type { PriceEntry } from '../../core/envelope/prices.ts';
import { isWritableProgram } from '../../core/policy/environment/find-program.ts';
import { type OwnPlaces, temporaryFolders } from '../../core/policy/paths/special-places.ts';
import type { Clock, ProgramFiles } from '../../ports/system.ts';
import type { PermissionProfile } from '../../protocol/permissions.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import { kindOfEntry, inspectEntry } from '../disk/file-system.ts';
import { nodeProgramFiles } from '../disk/node-program-files.ts';
import { readIfPossible, readTextIfPossible } from '../disk/regular-files.ts';
import { readLimits } from './files/read-guard.ts';
import { findPermissionPlaces } from './permission-places.ts';
import { basename, dirname, isAbsolute, join } from 'node:path';

export interface FactSources {
  readonly clock: Clock;
  readonly env: EnvironmentVariables;
  readonly cwd: string;
  readonly client: ClientFacts;
  readonly trust: Trust;
  readonly catalogue: Catalogue;
  /** User-defined prices come first. */
  readonly prices?: readonly PriceEntry[];
  readonly own: OwnPlaces;
  /** The profile of the turn; places that it names need not exist. */
  readonly profile: PermissionProfile;
  readonly programFiles: ProgramFiles;
  /** Folders that commands may write besides the workspace and temporary folders, in this turn or under another mode. */
  readonly roots?: readonly string[];
  readonly provider?: ProviderFacts;
  /** Policies are adapted to Landlock. Absent: they are not. */
  readonly landlock?: true;
  readonly hasPlugins?: boolean;
}

export async function gatherFacts(sources: FactSources): Promise<GatheredFacts> {
  const { clock, env, cwd, client, trust, catalogue, prices, provider, hasPlugins } = sources;
  return {
    time: timeFactsAt(clock.now(), env),
    shell: findShell(env, { cwd, files: sources.programFiles, roots: sources.roots ?? [] }),
    places: findPermissionPlaces(cwd, env, sources),
    trust,
    catalogue,
    client,
    ...defined({ prices, provider }),
    ...(hasPlugins === true ? { found: { plugins: true } } : {}),
  };
}

const usable = ['bash', 'zsh', 'sh'];

/**
 * The shell for commands: the user's own if the model can be expected to write its language, else bash, else `sh`. It
 * also runs outside of the sandbox, to read the user's variables, so Capstan takes no shell that commands may write.
 * `roots`: other writable folders, in this run or another one.
 */
export function findShell(
  env: EnvironmentVariables,
  given: { readonly cwd: string; readonly files: ProgramFiles; readonly roots?: readonly string[] },
): GatheredFacts['shell'] {
  const { cwd, files, roots = [] } = given;
  const { SHELL: own } = env;
  const isProgram = (path: string): boolean => nodeProgramFiles.program(path) !== undefined;
  const isOwn = own !== undefined && isAbsolute(own) && usable.includes(basename(own)) && isProgram(own);
  if (isOwn && !isOpen(own, [cwd, ...temporaryFolders(env), ...roots], files))
    return { name: basename(own), path: own };
  return isProgram('/bin/bash') ? { name: 'bash', path: '/bin/bash' } : { name: 'sh', path: '/bin/sh' };
}

/** True if a command, or another user, may replace the program. */
function isOpen(program: string, writable: readonly string[], files: ProgramFiles): boolean {
  const place = files.program(program);
  if (place === undefined || isWritableProgram(program, writable, files)) return true;
  return [program, place].some((path) => files.isWritableByOthers(dirname(path)));
}

/** `localtime`: a link into the zone folder, or a copy of a file in it. */
export type TimezoneFiles = Readonly<Record<'localtime' | 'timezone' | 'zoneFolder', string>>;

const systemZoneFiles: TimezoneFiles = {
  localtime: '/etc/localtime',
  timezone: '/etc/timezone',
  zoneFolder: '/usr/share/zoneinfo',
};

/** The user's date and zone, else both in UTC. `env` must be what this process was started with. */
export function timeFactsAt(epochMs: number, env: EnvironmentVariables): TimeFacts {
  const timezone = findTimezone(env, systemZoneFiles) ?? timezoneOfIntl();
  const moment = new Date(epochMs);
  if (timezone === undefined) return { epochMs, date: moment.toISOString().slice(0, 10), timezone: 'Etc/UTC' };
  const local = new Date(epochMs - moment.getTimezoneOffset() * 60_000);
  return { epochMs, date: local.toISOString().slice(0, 10), timezone };
}

/**
 * Finds the zone's name by Node's own rules; undefined if that takes more than reading a few files. `Intl` always knows
 * but takes 25 ms to load, almost as much as the rest of a start.
 */
export function findTimezone(env: EnvironmentVariables, files: TimezoneFiles): string | undefined {
  const { TZ: variable } = env;
  if (variable === '') return 'Etc/UTC';
  if (variable !== undefined) return existingZone(variable.replace(/^:/, ''), files);
  // Only Unix systems have the folder; there, a missing file and a dangling link both mean UTC.
  if (kindOfEntry(dirname(files.localtime)) !== 'folder') return undefined;
  if (kindOfEntry(files.localtime) !== 'file') return 'Etc/UTC';
  const entry = inspectEntry(files.localtime);
  return entry.kind === 'link' ? plainName(/\/zoneinfo\/(.+)$/.exec(entry.target)?.[1]) : zoneOfCopy(files);
}

function existingZone(name: string, files: TimezoneFiles): string | undefined {
  const plain = plainName(name);
  return plain !== undefined && kindOfEntry(join(files.zoneFolder, plain)) === 'file' ? plain : undefined;
}

const zoneFile = { maxBytes: readLimits.timezoneBytes };

/** The name in `timezone`, if `localtime` is a copy of that zone's file and not one left over from another zone. */
function zoneOfCopy(files: TimezoneFiles): string | undefined {
  const name = existingZone(readTextIfPossible(files.timezone, zoneFile)?.trim() ?? '', files);
  if (name === undefined) return undefined;
  const copy = readIfPossible(files.localtime, zoneFile);
  const original = readIfPossible(join(files.zoneFolder, name), zoneFile);
  return copy !== undefined && original !== undefined && copy.equals(original) ? name : undefined;
}

function plainName(name: string | undefined): string | undefined {
  const bare = name?.replace(/^(?:posix|right)\//, '');
  return bare !== undefined && /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(bare) ? bare : undefined;
}

function timezoneOfIntl(): string | undefined {
  const name: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return name === undefined || name === 'Etc/Unknown' ? undefined : name;
}
