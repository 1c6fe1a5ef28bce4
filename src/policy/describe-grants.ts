import { type Grant, type GrantedExtra, isText, partsOf, permissionsOf } from './grants.ts';

/** What earlier answers allow without another question. */
export interface GrantsDescription extends GrantedExtra {
  readonly commands?: readonly { readonly command: string; readonly cwd: string; readonly where: string }[];
  /** Files that patches may change. */
  readonly files?: readonly string[];
  /** Tools that act elsewhere. */
  readonly tools?: readonly string[];
}

/** A key comes from a file: what is not as it should be is left out, as it grants nothing. */
export function describeGrants(grants: readonly Grant[]): GrantsDescription {
  const parts = [...new Set(grants.map(({ key }) => key))].map((key) => partsOf({ key }));
  const commands = parts.flatMap(([what, where, cwd, command]) =>
    what === 'command' && isText(where) && isText(cwd) && isText(command) ? [{ command, cwd, where }] : [],
  );
  const named = (kind: string) => parts.flatMap(([what, name]) => (what === kind && isText(name) ? [name] : []));
  const ofServers = parts.flatMap(([what, server, tool]) =>
    what === 'mcp' && isText(server) && isText(tool) ? [`${server}/${tool}`] : [],
  );
  const [files, tools] = [named('file'), [...named('tool'), ...ofServers]];
  return {
    ...permissionsOf(grants),
    ...(commands.length === 0 ? {} : { commands }),
    ...(files.length === 0 ? {} : { files }),
    ...(tools.length === 0 ? {} : { tools }),
  };
}
