import { textHash } from '../../../base/digest.ts';
import { type JsonObject, sortedJson } from '../../../protocol/json.ts';
import type {
  ApprovalPolicy,
  ExtraPermissions,
  PermissionProfile,
  RequestedHost,
} from '../../../protocol/permissions.ts';
import { hostAtPort } from '../network/host-lists.ts';

/** What an answer of the user allows beyond its call, for the turn or the session. The key names exactly that: it fits no other command, file or host. */
export interface Grant {
  readonly key: string;
}

/** What commands may do besides what the sandbox grants. */
export interface GrantedExtra extends ExtraPermissions {
  /** What the proxy lets through, as `host:port`. */
  readonly hosts?: readonly string[];
}

/** What a command would be allowed to do. */
export interface GrantedCommand {
  /** The same text for every spelling of the command: spaces, quotes and the path of the shell make no difference. */
  readonly command: string;
  /** A command means something else in another folder. */
  readonly cwd: string;
  readonly where: 'sandbox' | 'outside';
  readonly extra?: ExtraPermissions;
  /** The model can type into it. */
  readonly typed?: true;
}

export function commandKey({ command, cwd, where, extra = {}, typed }: GrantedCommand): string {
  const more = [...permissionKeys(extra), ...(typed === true ? [JSON.stringify(['typed'])] : [])];
  return JSON.stringify(['command', where, cwd, command, ...more.toSorted()]);
}

export function fileKey(path: string): string {
  return JSON.stringify(['file', path]);
}

export function hostKey({ name, port, protocol }: RequestedHost): string {
  return JSON.stringify(['host', protocol, name.toLowerCase(), port]);
}

/** Of a tool that acts elsewhere, whatever its arguments are. */
export function toolKey(tool: string): string {
  return JSON.stringify(['tool', tool]);
}

/** Of a tool of an MCP server, whatever its arguments are, as long as the server says of it what it said then. */
export function mcpToolKey({ server, tool, digest }: GrantedMcpTool): string {
  return JSON.stringify(['mcp', server, tool, digest]);
}

export interface GrantedMcpTool {
  readonly server: string;
  readonly tool: string;
  readonly digest: string;
}

/** Digest of everything by which the user can judge a tool: two are equal if the server says the same in any order. */
export function mcpToolDigest({ described, hints }: JudgedMcpTool): string {
  return `${digestVersion}${textHash(sortedJson([described, hints]), 16)}`;
}

/** In front of each digest. One that was computed otherwise covers nothing, and is no proof that a server changed its tool. */
const digestVersion = '2-';

export function isOtherTool(digest: string, now: string): boolean {
  return digest !== now && digest.startsWith(digestVersion);
}

interface JudgedMcpTool {
  readonly described?: { readonly description: string; readonly parameters: JsonObject };
  readonly hints: object;
}

/** Whether an answer allowed the tool as it was before its server changed it. */
export function wasGrantedOtherwise(grants: readonly Grant[], { server, tool, digest }: GrantedMcpTool): boolean {
  return grants
    .map(keyParts)
    .some(
      ([kind, of, name, then]) =>
        kind === 'mcp' && of === server && name === tool && isText(then) && isOtherTool(then, digest),
    );
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
export function permissionsOf(grants: readonly Grant[]): GrantedExtra {
  const parts = grants.map(keyParts);
  const paths = (kind: string) => parts.flatMap(([what, path]) => (what === kind && isText(path) ? [path] : []));
  const found = { read: paths('read'), write: paths('write'), hosts: [...new Set(parts.flatMap(hostOf))] };
  return {
    ...(parts.some(([what]) => what === 'network') ? { network: true } : {}),
    ...Object.fromEntries(Object.entries(found).filter(([, all]) => all.length > 0)),
  };
}

/** The protocol of the key says how it was asked for. An answer opens the host at its port. */
function hostOf([what, , name, port]: readonly unknown[]): readonly string[] {
  const isPort = typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536;
  return what === 'host' && isText(name) && isPort ? [hostAtPort(name, port)] : [];
}

/** A key comes from a file: what is not as it should be grants nothing. */
export function keyParts({ key }: Grant): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(key);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function coversAll(grants: readonly Grant[], keys: readonly string[]): boolean {
  return keys.length > 0 && keys.every((key) => grants.some((grant) => grant.key === key));
}

/** What the user chose for a turn, and what an answer for the session depends on. */
export interface ChosenPolicy {
  readonly approval: ApprovalPolicy;
  readonly profile: PermissionProfile;
}

/** An answer for the session. */
export interface SessionGrant {
  readonly keys: readonly string[];
  /** The mark of the policy that it was given under. Absent: the line does not say, and it counts nowhere. */
  readonly under?: string;
}

/** One text per policy: a profile that was read from a line may have its members in another order. */
export function policyMark({ approval, profile }: ChosenPolicy): string {
  return textHash(sortedJson([approval, profile]));
}

/**
 * Those that count under a policy. An answer is given by someone who knows what the sandbox keeps and when questions are
 * asked: under another policy, be it a narrower one, it says nothing.
 */
export function grantsUnder(given: readonly SessionGrant[], policy: ChosenPolicy): readonly Grant[] {
  if (given.length === 0) return [];
  const mark = policyMark(policy);
  return given.filter(({ under }) => under === mark).flatMap(({ keys }) => keys.map((key) => ({ key })));
}
