import type { ExtraPermissions } from '../protocol/extra-permissions.ts';
import type { Question } from '../protocol/question.ts';

/** What the user allowed for the session. The key names exactly that: it fits no other command, file or host. */
export interface Grant {
  readonly key: string;
}

/** What a command would be allowed to do. */
export interface GrantedCommand {
  /** The same text for every spelling of the command: spaces, quotes and the path of the shell make no difference. */
  readonly command: string;
  /** A command means something else in another folder. */
  readonly cwd: string;
  readonly where: 'sandbox' | 'outside';
  readonly extra?: ExtraPermissions;
}

export function commandKey({ command, cwd, where, extra = {} }: GrantedCommand): string {
  return JSON.stringify(['command', where, cwd, command, ...permissionKeys(extra).toSorted()]);
}

export function fileKey(path: string): string {
  return JSON.stringify(['file', path]);
}

export function hostKey({ name, port, protocol }: NonNullable<Question['host']>): string {
  return JSON.stringify(['host', protocol, name.toLowerCase(), port]);
}

/** One for each thing that is permitted, so that a later request for some of them is covered, too. */
export function permissionKeys({ network, read = [], write = [] }: ExtraPermissions): readonly string[] {
  return [
    ...(network === true ? [JSON.stringify(['network'])] : []),
    ...read.map((path) => JSON.stringify(['read', path])),
    ...write.map((path) => JSON.stringify(['write', path])),
  ];
}

/** What grants let every command do besides what the sandbox does. */
export function permissionsOf(grants: readonly Grant[]): ExtraPermissions {
  const parts = grants.map(({ key }) => partsOf(key));
  const paths = (kind: string) => parts.flatMap(([what, path]) => (what === kind && path !== undefined ? [path] : []));
  const [read, write] = [paths('read'), paths('write')];
  return {
    ...(parts.some(([what]) => what === 'network') ? { network: true } : {}),
    ...(read.length === 0 ? {} : { read }),
    ...(write.length === 0 ? {} : { write }),
  };
}

/** A key comes from a file: what is not as it should be grants nothing. */
function partsOf(key: string): readonly string[] {
  try {
    const parts: unknown = JSON.parse(key);
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : [];
  } catch {
    return [];
  }
}

export function coversAll(grants: readonly Grant[], keys: readonly string[]): boolean {
  return keys.length > 0 && keys.every((key) => grants.some((grant) => grant.key === key));
}
