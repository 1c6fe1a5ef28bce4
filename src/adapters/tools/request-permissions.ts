import { defined } from '../../base/objects.ts';
import type { CallNeeds } from '../../core/policy/decide/call-decision.ts';
import { isJsonObject, type Json, type JsonObject, stringAt } from '../../protocol/json.ts';
import type { ExtraPermissions } from '../../protocol/permissions.ts';
import { type PathLookup, nearestExistingFolder, protectedFoldersBesideGit, resolveLinks } from './follow-path.ts';
import { functionSpec, functionTool } from './function-tool.ts';
import type { Tool } from './tool.ts';
import { resolve } from 'node:path';

const paths = { type: 'array', items: { type: 'string' } } as const;

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

export type PathResolutionBase = { readonly cwd: string; readonly disk: PathLookup };

/**
 * Makes paths absolute and follows links. A string says what is wrong. Unknown members are errors: a misspelt one would
 * request nothing.
 */
export function parseExtraPermissions(
  value: Json | undefined,
  name: string,
  from: PathResolutionBase,
): ExtraPermissions | string {
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
  const led = [...read, ...write].filter(({ path, place }) => path !== place);
  const spelled = Object.fromEntries(led.map(({ path, place }) => [place, path]));
  return {
    ...(isOpen && { network: true }),
    ...(read.length === 0 ? {} : { read: placesOf(read) }),
    ...(write.length === 0 ? {} : { write: placesOf(write) }),
    ...(led.length === 0 ? {} : { spelled }),
  };
}

/** Missing paths among those to write, and protected folders beside a repository. */
export function pathNeeds(
  disk: PathLookup,
  { write = [] }: ExtraPermissions = {},
): Pick<CallNeeds, 'missing' | 'kept'> {
  const missing = write.flatMap((path) => {
    const above = nearestExistingFolder(disk, path);
    return above === undefined ? [] : [{ path, above }];
  });
  // Leaves out missing folders: commands may create those without this permission.
  const kept = [...new Set(write.flatMap((path) => protectedFoldersBesideGit(disk, path)))].filter(
    (folder) => nearestExistingFolder(disk, folder) === undefined,
  );
  return { ...(missing.length === 0 ? {} : { missing }), ...(kept.length === 0 ? {} : { kept }) };
}

/** A path and its target: a question names what would really be opened. */
type Led = { readonly path: string; readonly place: string };
const placesOf = (paths: readonly Led[]): readonly string[] => [...new Set(paths.map(({ place }) => place))];

function permissionsJson({ network, read, write }: ExtraPermissions): JsonObject {
  const files = read === undefined && write === undefined ? {} : { file_system: defined({ read, write }) };
  return { ...(network === true && { network: { enabled: true } }), ...files };
}

function isNetwork(value: Json): value is JsonObject {
  if (!isJsonObject(value) || Object.keys(value).some((key) => key !== 'enabled')) return false;
  const { enabled = null } = value;
  return enabled === null || typeof enabled === 'boolean';
}

function pathsAt(
  files: JsonObject | null,
  key: 'read' | 'write',
  { cwd, disk }: PathResolutionBase,
): readonly Led[] | undefined {
  const given = files?.[key] ?? [];
  if (!Array.isArray(given)) return undefined;
  const texts = given.filter((path): path is string => typeof path === 'string' && path.trim() !== '');
  if (texts.length < given.length) return undefined;
  return texts.map((text) => resolve(cwd, text)).map((path) => ({ path, place: resolveLinks(disk, path) }));
}

/** Has no effect of its own: the user's answer is kept, and later calls are decided with it. */
export function requestPermissionsTool({ disk }: { readonly disk: PathLookup }): Tool {
  return functionTool({
    spec: functionSpec(
      'request_permissions',
      'Asks the user for more than the sandbox grants, for all later commands of this turn. Returns what was granted, and for how long; commands need no parameters for it. Ask for as little as the task needs.',
      {
        permissions: permissionsSchema,
        reason: { type: 'string', description: 'One short sentence that tells the user what it is for.' },
      },
      ['permissions'],
    ),
    asksAbout: 'permissions',
    idempotent: true,
    read(given, { envelope: { workspace } }) {
      const permissions = parseExtraPermissions(given['permissions'], 'permissions', { cwd: workspace.cwd, disk });
      return typeof permissions === 'string' ? permissions : { permissions, reason: stringAt(given, 'reason') };
    },
    needs: ({ permissions, reason }) => ({
      request: { permissions, ...defined({ reason }) },
      ...pathNeeds(disk, permissions),
    }),
    run({ permissions }, { allowed }) {
      // Without a question, it was granted already.
      const scope = allowed && (allowed === 'session' ? 'session' : 'turn');
      return JSON.stringify({ permissions: permissionsJson(permissions), scope });
    },
  });
}
