import type { ExtraPermissions } from '../protocol/extra-permissions.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { McpApprovalMode } from '../protocol/mcp-approval-mode.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import type { UserQuestion } from '../protocol/user-question.ts';
import { writablePaths } from './access.ts';

/** What a call takes, as its tool declares it before anything is done. Nothing declared: nothing that the policy governs. */
export interface CallNeeds {
  /** It starts a program, or changes files itself. */
  readonly effect?: 'program' | 'files';
  /** Files that it is known to read or write. Absolute, as the model spelled them: links are followed when it runs. */
  readonly paths?: readonly NeededPath[];
  /** Folders beside a `.git` that it would write in: commands cannot change those that exist, and patches ask first. */
  readonly kept?: readonly string[];
  /** The program that it starts, and where. */
  readonly argv?: readonly string[];
  readonly cwd?: string;
  /** Its input stays open: what the model will type there is not known. */
  readonly typed?: true;
  /** More than the sandbox grants. */
  readonly escalation?: Escalation;
  /** Of the paths that it asks to write: those that a sandbox cannot open, because they do not exist. */
  readonly missing?: readonly MissingPath[];
  /** It is done elsewhere, by this tool, and nothing here holds it. `reads`: it changes nothing there. */
  readonly remote?: { readonly tool: string; readonly reads?: true };
  /**
   * It is done by this tool of an MCP server, which claims `hints` of it and describes it now as `described`. `mode`: when
   * the user wants to be asked. `isChanged`: the user allowed it for good, and the server changed it since.
   */
  readonly mcp?: {
    readonly server: string;
    readonly tool: string;
    readonly hints: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly openWorld?: boolean };
    readonly mode: McpApprovalMode;
    readonly described?: { readonly description: string; readonly parameters: JsonObject };
    readonly isChanged?: true;
  };
  /** It does nothing but ask for permissions, which hold for the calls after it. */
  readonly request?: { readonly permissions: ExtraPermissions; readonly reason?: string };
  /** It does nothing but ask the user this. */
  readonly input?: readonly UserQuestion[];
  /** It is done by the client, which defined this tool. */
  readonly client?: { readonly tool: string; readonly namespace?: string };
}

/** A path that is not there, and the nearest folder above it that is. */
export interface MissingPath {
  readonly path: string;
  readonly above: string;
}

export interface NeededPath {
  readonly path: string;
  readonly access: 'read' | 'write';
  /** Where its links lead. Absent: it has none. */
  readonly place?: string;
}

export interface Escalation {
  /** The model's. */
  readonly reason?: string;
  /** What it needs within the sandbox. Absent: it wants to run outside. */
  readonly permissions?: ExtraPermissions;
  /** The model's proposal of a rule: commands that begin so. */
  readonly prefix?: readonly string[];
}

/** The files that the sandbox kept a call from, as far as a user could allow them. */
export interface Blocked {
  readonly paths: readonly NeededPath[];
}

/** Whether files may be other ones after a call that ran under this policy. */
export function mayChangeFiles(granted: ResolvedPolicy, { effect }: CallNeeds): boolean {
  if (effect !== 'program') return effect === 'files';
  return granted.files.kind === 'unrestricted' || writablePaths(granted).length > 0;
}
