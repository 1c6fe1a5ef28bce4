import { textHash } from '../../../base/digest.ts';
import { type JsonObject, sortedJson } from '../../../protocol/json.ts';
import type {
  ApprovalPolicy,
  ExtraPermissions,
  PermissionProfile,
  RequestedHost,
} from '../../../protocol/permissions.ts';
import { hostAtPort } from '../network/host-lists.ts';

/** Permission from an answer beyond its call, for the turn or session. The key fits no other command, file or host. */
export type Grant = { readonly key: string };

export interface GrantedPermissions extends ExtraPermissions {
  /** Passed by the proxy, as `host:port`. */
  readonly hosts?: readonly string[];
}

export interface GrantedCommand {
  /** Canonical: spaces, quotes and the shell's path make no difference. */
  readonly command: string;
  /** A command means something else in another folder. */
  readonly cwd: string;
  readonly where: 'sandbox' | 'outside';
  readonly extra?: ExtraPermissions;
  readonly typed?: true;
}

export function commandGrantKey({ command, cwd, where, extra = {}, typed }: GrantedCommand): string {
  const more = [...permissionGrantKeys(extra), ...(typed === true ? [JSON.stringify(['typed'])] : [])];
  return JSON.stringify(['command', where, cwd, command, ...more.toSorted()]);
}

export const fileGrantKey = (path: string): string => JSON.stringify(['file', path]);
export const hostGrantKey = ({ name, port, protocol }: RequestedHost): string =>
  JSON.stringify(['host', protocol, name.toLowerCase(), port]);
export const toolGrantKey = (tool: string): string => JSON.stringify(['tool', tool]);

/** For an MCP tool with any arguments, while its server describes it as it did then. */
export const mcpToolGrantKey = ({ server, tool, digest }: GrantedMcpTool): string =>
  JSON.stringify(['mcp', server, tool, digest]);
type GrantedMcpTool = Readonly<Record<'server' | 'tool' | 'digest', string>>;

/** Digest of everything by which the user can judge a tool; independent of order. */
export const mcpToolDigest = ({ described, hints }: JudgedMcpTool): string =>
  `${digestVersion}${textHash(sortedJson([described, hints]), 16)}`;

/** Prefix of each digest. Another one covers nothing, and does not prove that a server changed its tool. */
const digestVersion = '2-';
export const isChangedMcpTool = (digest: string, now: string): boolean =>
  digest !== now && digest.startsWith(digestVersion);

interface JudgedMcpTool {
  readonly described?: { readonly description: string; readonly parameters: JsonObject };
  readonly hints: object;
}

/** True if an answer allowed the tool before its server changed it. */
export function wasGrantedBeforeChange(grants: readonly Grant[], { server, tool, digest }: GrantedMcpTool): boolean {
  return grants.map(parseGrantKey).some(([kind, of, name, then]) => {
    return kind === 'mcp' && of === server && name === tool && isGrantText(then) && isChangedMcpTool(then, digest);
  });
}

/** One per permission, so that a later request for some of them is covered, too. */
export function permissionGrantKeys({ network, read = [], write = [] }: ExtraPermissions): readonly string[] {
  return [
    ...(network === true ? [JSON.stringify(['network'])] : []),
    ...read.map((path) => JSON.stringify(['read', path])),
    ...write.map((path) => JSON.stringify(['write', path])),
  ];
}

export function permissionsOf(grants: readonly Grant[]): GrantedPermissions {
  const parts = grants.map(parseGrantKey);
  const paths = (kind: string) => parts.flatMap(([what, path]) => (what === kind && isGrantText(path) ? [path] : []));
  const network = parts.some(([what]) => what === 'network');
  const hosts = [...new Set(parts.flatMap(hostOf))];
  return permissionsWith(network, { read: paths('read'), write: paths('write'), hosts });
}

type PermittedPlaces = Pick<GrantedPermissions, 'read' | 'write' | 'hosts'>;

/** Leaves out empty members. */
export function permissionsWith(network: boolean, { read = [], write = [], hosts = [] }: PermittedPlaces) {
  const places = Object.entries({ read, write, hosts }).filter(([, all]) => all.length > 0);
  return { ...(network ? { network } : {}), ...Object.fromEntries(places) } as GrantedPermissions;
}

/** The key's protocol says how the host was requested. An answer opens the host at its port. */
function hostOf([what, , name, port]: readonly unknown[]): readonly string[] {
  const isPort = typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536;
  return what === 'host' && isGrantText(name) && isPort ? [hostAtPort(name, port)] : [];
}

/** Keys come from a file: malformed ones grant nothing. */
export function parseGrantKey({ key }: Grant): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(key);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

export const isGrantText = (value: unknown): value is string => typeof value === 'string';
export const grantsCoverAll = (grants: readonly Grant[], keys: readonly string[]): boolean =>
  keys.length > 0 && keys.every((key) => grants.some((grant) => grant.key === key));

/** The user's choice for a turn, on which session answers depend. */
export type ChosenPolicy = { readonly approval: ApprovalPolicy; readonly profile: PermissionProfile };
/** `under`: mark of the policy that it was given under. Absent: the line has none, and it counts nowhere. */
export type SessionGrant = { readonly keys: readonly string[]; readonly under?: string };
/** Canonical text of a policy: the members of a profile read from a line may be in another order. */
export const policyDigest = ({ approval, profile }: ChosenPolicy): string => textHash(sortedJson([approval, profile]));

/** Answers valid under a policy: users know it when they answer, so none applies under another, not even a narrower. */
export function grantsUnder(given: readonly SessionGrant[], policy: ChosenPolicy): readonly Grant[] {
  if (given.length === 0) return [];
  const mark = policyDigest(policy);
  return given.filter(({ under }) => under === mark).flatMap(({ keys }) => keys.map((key) => ({ key })));
}
