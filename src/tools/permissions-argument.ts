import { resolve } from 'node:path';
import type { CallNeeds } from '../policy/approval.ts';
import type { ExtraPermissions } from '../protocol/extra-permissions.ts';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import { keptBesideGit } from './kept-beside-git.ts';
import { type DiskLook, folderAbove, placeOn } from './where-paths-lead.ts';

const paths = { type: 'array', items: { type: 'string' } } as const;

/** How a tool offers to name permissions. */
export const permissionsSchema: JsonObject = {
  type: 'object',
  properties: {
    network: { type: 'object', properties: { enabled: { type: 'boolean' } }, additionalProperties: false },
    file_system: {
      type: 'object',
      description: 'Files and folders with all that is in them, absolute or relative to the current folder.',
      properties: { read: paths, write: paths },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

/** From where relative paths start, and the disk that says where paths lead. */
export interface NamingPaths {
  readonly cwd: string;
  readonly disk: DiskLook;
}

/**
 * The permissions that the model names, paths made absolute and without links; a string says what is wrong. Unknown
 * members are errors: a misspelt one asks for nothing.
 */
export function readPermissions(value: Json | undefined, name: string, from: NamingPaths): ExtraPermissions | string {
  if (!isJsonObject(value)) return `\`${name}\` must be an object with network, file_system or both.`;
  const stranger = Object.keys(value).find((key) => key !== 'network' && key !== 'file_system');
  if (stranger !== undefined) return `\`${name}\` has no member ${JSON.stringify(stranger)}.`;
  const { network = null, file_system: files = null } = value;
  if (network !== null && !isNetwork(network))
    return `\`${name}.network\` must be an object with enabled, true or false.`;
  if (files !== null && !isJsonObject(files))
    return `\`${name}.file_system\` must be an object with read, write or both.`;
  const odd = Object.keys(files ?? {}).find((key) => key !== 'read' && key !== 'write');
  if (odd !== undefined) return `\`${name}.file_system\` has no member ${JSON.stringify(odd)}.`;
  const [read, write] = [pathsAt(files, 'read', from), pathsAt(files, 'write', from)];
  if (read === undefined || write === undefined) return `\`${name}.file_system\` must name paths in lists of strings.`;
  const isOpen = network !== null && network['enabled'] === true;
  if (!isOpen && read.length === 0 && write.length === 0) return `\`${name}\` asks for nothing.`;
  const spelled = Object.fromEntries(
    [...read, ...write].flatMap(({ path, place }) => (path === place ? [] : [[place, path]])),
  );
  return {
    ...(isOpen ? { network: true } : {}),
    ...(read.length === 0 ? {} : { read: placesOf(read) }),
    ...(write.length === 0 ? {} : { write: placesOf(write) }),
    ...(Object.keys(spelled).length === 0 ? {} : { spelled }),
  };
}

/** What the disk says of the paths to write: those that are not there, and what stands beside a repository. */
export function pathNeeds(disk: DiskLook, { write = [] }: ExtraPermissions = {}): Pick<CallNeeds, 'missing' | 'kept'> {
  const missing = write.flatMap((path) => {
    const above = folderAbove(disk, path);
    return above === undefined ? [] : [{ path, above }];
  });
  // Commands may make such a folder where there is none.
  const kept = [...new Set(write.flatMap((path) => keptBesideGit(disk, path)))].filter(
    (folder) => folderAbove(disk, folder) === undefined,
  );
  return { ...(missing.length === 0 ? {} : { missing }), ...(kept.length === 0 ? {} : { kept }) };
}

/** A path, and where it leads: a question names what would really be opened. */
interface Led {
  readonly path: string;
  readonly place: string;
}

function placesOf(paths: readonly Led[]): readonly string[] {
  return [...new Set(paths.map(({ place }) => place))];
}

/** As the tool's answer names them. */
export function permissionsJson({ network, read, write }: ExtraPermissions): JsonObject {
  const files = { ...(read === undefined ? {} : { read }), ...(write === undefined ? {} : { write }) };
  return {
    ...(network === true ? { network: { enabled: true } } : {}),
    ...(Object.keys(files).length === 0 ? {} : { file_system: files }),
  };
}

function isNetwork(value: Json): value is JsonObject {
  if (!isJsonObject(value) || Object.keys(value).some((key) => key !== 'enabled')) return false;
  const { enabled = null } = value;
  return enabled === null || typeof enabled === 'boolean';
}

function pathsAt(
  files: JsonObject | null,
  key: 'read' | 'write',
  { cwd, disk }: NamingPaths,
): readonly Led[] | undefined {
  const given = files?.[key] ?? [];
  if (!Array.isArray(given)) return undefined;
  const texts = given.filter((path): path is string => typeof path === 'string' && path.trim() !== '');
  if (texts.length < given.length) return undefined;
  return texts.map((text) => resolve(cwd, text)).map((path) => ({ path, place: placeOn(disk, path) }));
}
