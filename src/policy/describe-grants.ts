import type { ExtraPermissions } from '../protocol/extra-permissions.ts';
import { type Grant, permissionsOf } from './grants.ts';

/** What earlier answers allow without another question. */
export interface GrantsDescription extends ExtraPermissions {
  readonly commands?: readonly { readonly command: string; readonly cwd: string; readonly where: string }[];
  /** Files that patches may change. */
  readonly files?: readonly string[];
  /** `name:port`. */
  readonly hosts?: readonly string[];
}

/** A key comes from a file: what is not as it should be is left out, as it grants nothing. */
export function describeGrants(grants: readonly Grant[]): GrantsDescription {
  const parts = [...new Set(grants.map(({ key }) => key))].map(partsOf);
  const commands = parts.flatMap(([what, where, cwd, command]) =>
    what === 'command' && isText(where) && isText(cwd) && isText(command) ? [{ command, cwd, where }] : [],
  );
  const files = parts.flatMap(([what, path]) => (what === 'file' && isText(path) ? [path] : []));
  const hosts = parts.flatMap(([what, , name, port]) =>
    what === 'host' && isText(name) && typeof port === 'number' ? [`${name}:${port}`] : [],
  );
  return {
    ...permissionsOf(grants),
    ...(commands.length === 0 ? {} : { commands }),
    ...(files.length === 0 ? {} : { files }),
    ...(hosts.length === 0 ? {} : { hosts: [...new Set(hosts)] }),
  };
}

function partsOf(key: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(key);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
