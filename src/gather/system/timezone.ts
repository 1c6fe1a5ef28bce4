import { dirname, join } from 'node:path';
import type { TimeFacts } from '../../envelope/facts.ts';
import { fileSystem, kindOfEntry } from '../../disk/file-system.ts';
import { readIfPossible, readTextIfPossible } from '../../disk/read-bounded.ts';
import { readLimits } from '../files/read-limits.ts';

/** Where a Unix system says which zone it is in. */
export interface ZoneFiles {
  /** A link into the zone folder, or a copy of a file in it. */
  readonly localtime: string;
  /** The name of the zone, on systems that have such a file. */
  readonly timezone: string;
  /** One file per zone, named after it. */
  readonly zoneFolder: string;
}

const systemZoneFiles: ZoneFiles = {
  localtime: '/etc/localtime',
  timezone: '/etc/timezone',
  zoneFolder: '/usr/share/zoneinfo',
};

/**
 * The date and zone of the moment, as the user's machine sees it. When the zone is unknown, both are those of UTC.
 *
 * The date comes from the zone that this process runs in; `env` must be the environment it was started with.
 */
export function timeFactsAt(epochMs: number, env: Readonly<Record<string, string | undefined>>): TimeFacts {
  const timezone = findTimezone(env, systemZoneFiles) ?? timezoneOfIntl();
  const moment = new Date(epochMs);
  if (timezone === undefined) return { epochMs, date: moment.toISOString().slice(0, 10), timezone: 'Etc/UTC' };
  const local = new Date(epochMs - moment.getTimezoneOffset() * 60_000);
  return { epochMs, date: local.toISOString().slice(0, 10), timezone };
}

/**
 * The zone's name, by the rules by which Node finds the zone of its dates, or undefined when that takes more than a look
 * at a few files. `Intl` always knows but takes 25 ms to load, almost as much as the rest of a start.
 */
export function findTimezone(env: Readonly<Record<string, string | undefined>>, files: ZoneFiles): string | undefined {
  const { TZ: variable } = env;
  if (variable === '') return 'Etc/UTC';
  if (variable !== undefined) return existingZone(variable.replace(/^:/, ''), files);
  // Only Unix systems have the folder at all; there, no file and a link that leads nowhere both mean UTC.
  if (kindOfEntry(dirname(files.localtime)) !== 'folder') return undefined;
  if (kindOfEntry(files.localtime) !== 'file') return 'Etc/UTC';
  const target = readLink(files.localtime);
  return target === undefined
    ? zoneOfCopy(files)
    : plainName(/\/zoneinfo\/(?<name>.+)$/.exec(target)?.groups?.['name']);
}

function existingZone(name: string, files: ZoneFiles): string | undefined {
  const plain = plainName(name);
  return plain !== undefined && kindOfEntry(join(files.zoneFolder, plain)) === 'file' ? plain : undefined;
}

const zoneFile = { maxBytes: readLimits.timezoneBytes };

/** The name in the file beside it, if the copy is one of that zone and not left over from another. */
function zoneOfCopy(files: ZoneFiles): string | undefined {
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

function readLink(path: string): string | undefined {
  try {
    return fileSystem.readlinkSync(path);
  } catch {
    return undefined;
  }
}

function timezoneOfIntl(): string | undefined {
  const name: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return name === undefined || name === 'Etc/Unknown' ? undefined : name;
}
