import type { JsonObject } from '../../../protocol/json.ts';
import type {
  ApprovalPolicy,
  ExtraPermissions,
  McpApprovalMode,
  ResolvedPolicy,
} from '../../../protocol/permissions.ts';
import type { Question, UserQuestion } from '../../../protocol/question.ts';
import type { CommandAnalysis } from '../commands/analyse-command.ts';
import type { UnknownReason } from '../commands/evaluate-command.ts';
import type { TamperState } from '../environment/tamper-state.ts';
import type { Grant, GrantedPermissions } from '../grants/grants.ts';
import { writablePaths } from '../paths/access.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import { allowsAsking, approvalName, type QuestionTopic } from './approval-policy.ts';

export interface DecisionContext {
  readonly approval: ApprovalPolicy;
  readonly policy: ResolvedPolicy;
  readonly rules: RuleSet;
  /** Permissions from earlier answers, for the session and for the turn. */
  readonly grants: readonly Grant[];
  /** False: no surface can ask; such calls are refused with that reason. */
  readonly canAsk: boolean;
  /** The user answers, not a substitute. Absent: no. */
  readonly hasUser?: boolean;
  /** The thread was started to change nothing. Absent: no. */
  readonly changesNothing?: boolean;
  /** For `needs.argv`. Absent: not analysed, because nothing depends on it. */
  readonly analysis?: CommandAnalysis;
  /** Canonical form of `needs.argv`. Absent: the words as they are. */
  readonly canonical?: string;
  /** State of the place where `needs.argv` would run. Absent if not examined; then no rule lets it out. */
  readonly ground?: TamperState;
}

export type CallDecision = RunDecision | AskDecision | RefuseDecision;

export interface RunDecision {
  readonly kind: 'run';
  readonly where: 'sandbox' | 'outside';
  /** Permissions beyond those of the sandbox. */
  readonly extra?: GrantedPermissions;
  /** The state that the decision is based on; the call may start in no other. Absent if it depends on none. */
  readonly ground?: TamperState;
}

/** `where`: the place in which the call runs if the user allows it. */
export interface AskDecision extends Omit<RunDecision, 'kind'> {
  readonly kind: 'ask';
  readonly question: Omit<Question, 'id' | 'callId' | 'turnId' | 'tool' | 'item'>;
  readonly grantKeys: readonly string[];
  /** Requires a question of its own: a hook's approval does not count. */
  readonly byUser?: true;
  /** Why it offers no rule, or no session answer; worded in the question's reason. Absent: it offers all. */
  readonly notOffered?: NotOfferedAnswers;
}

/**
 * `typed`: its input stays open. `danger`: it may destroy data or run other code. `rule`: a rule always asks about it.
 * `no-rules`: rules that allow commands are off for the model. `permissions`: it stays in the sandbox, with single
 * permissions. `git`: commands may have written files that git runs, or may write them meanwhile. `port`: a rule for a
 * host cannot name one. `wrapper`: it starts another command, and each would need a rule, as in `sudo make`.
 * `search-path`: commands can place another program of that name there. `each-time`: an MCP server's configuration, or
 * a hook, asks each time.
 */
export type NotOfferedReason =
  | { readonly kind: 'typed' | 'danger' | 'rule' | 'no-rules' | 'permissions' | 'several' | 'git' | 'port' }
  | { readonly kind: 'script'; readonly why: UnknownReason }
  | { readonly kind: 'wrapper' | 'variable'; readonly name: string }
  | { readonly kind: 'broad'; readonly words: readonly string[] }
  | { readonly kind: 'builtin'; readonly name: string; readonly effect: 'changes' | 'evaluates' }
  | { readonly kind: 'search-path'; readonly folder: string }
  | { readonly kind: 'program'; readonly program: string }
  | { readonly kind: 'each-time'; readonly by: string };

export type NotOfferedAnswers = { readonly rule?: NotOfferedReason; readonly session?: NotOfferedReason };
export type RefuseDecision = { readonly kind: 'refuse'; readonly why: string; readonly next: string };

export function refusalDecision(why: string, next = 'Do without it, or tell the user what is needed.'): RefuseDecision {
  return { kind: 'refuse', why, next };
}

export const canAskAbout = ({ approval, canAsk }: Pick<DecisionContext, 'approval' | 'canAsk'>, about: QuestionTopic) =>
  canAsk && allowsAsking(approval, about);

/** Why the user is not asked, as the end of a sentence. `danger`: about destruction, with or without a sandbox. */
export function reasonNotAsked({ approval }: Pick<DecisionContext, 'approval'>, about: QuestionTopic | 'danger') {
  if (typeof approval === 'string' || allowsAsking(approval, about === 'danger' ? 'sandbox' : about))
    return `the approval policy is ${approvalName(approval)}, and the user cannot be asked.`;
  return `the approval policy turns off questions about ${aboutWords[about]}.`;
}

const aboutWords: Readonly<Record<QuestionTopic | 'danger', string>> = {
  danger: 'commands that destroy (sandbox_approval)',
  sandbox: 'leaving the sandbox (sandbox_approval)',
  rules: 'commands that a rule asks about (rules)',
  permissions: 'more permissions (request_permissions)',
  mcp: 'tools of MCP servers (mcp_elicitations)',
};

/** A sandbox can open only existing paths, so approval would change nothing. Undefined: all requested paths exist. */
export function missingPathsRefusal({ write = [] }: ExtraPermissions, missing: readonly MissingPath[] = []) {
  const found = missing.find(({ path }) => write.includes(path));
  if (found === undefined) return undefined;
  const why = `${JSON.stringify(found.path)} does not exist, and a sandbox can open only what exists.`;
  if (found.above !== '/')
    return refusalDecision(why, `Ask for ${JSON.stringify(found.above)}, the nearest folder above it.`);
  // Only the root exists above it, and no task needs all of that.
  const folder = JSON.stringify(`/${found.path.split('/')[1] ?? ''}`);
  const next = `Nothing above it exists either. Ask to create ${folder} with a command outside the sandbox, or tell the user that it is missing. Do not ask for "/".`;
  return refusalDecision(why, next);
}

/** A user's answer cannot open what a profile denies. */
export const deniedPathRefusal = (path: string): RefuseDecision =>
  refusalDecision(`${JSON.stringify(path)} is denied, and no request can change that.`);

/** Requirements that a tool declares before the call runs. Undeclared: nothing that the policy governs. */
export interface CallNeeds {
  readonly effect?: 'program' | 'files';
  /** Files that it is known to read or write. Absolute, as the model spelled them: links are followed at run time. */
  readonly paths?: readonly NeededPath[];
  /** Folders beside a `.git` that the call would write to. Commands cannot change existing ones; patches ask first. */
  readonly kept?: readonly string[];
  readonly argv?: readonly string[];
  readonly cwd?: string;
  /** Its input stays open, so what the model will type there is unknown. */
  readonly typed?: true;
  readonly escalation?: Escalation;
  /** Requested write paths that a sandbox cannot open because they do not exist. */
  readonly missing?: readonly MissingPath[];
  /** This tool acts elsewhere, outside any sandbox here. `reads`: it changes nothing there. */
  readonly remote?: { readonly tool: string; readonly reads?: true };
  /**
   * A tool of an MCP server with its claimed `hints` and its current description `described`. `mode`: when the user
   * wants to be asked. `isChanged`: the server changed it after the user allowed it permanently.
   */
  readonly mcp?: {
    readonly server: string;
    readonly tool: string;
    readonly hints: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly openWorld?: boolean };
    readonly mode: McpApprovalMode;
    readonly described?: { readonly description: string; readonly parameters: JsonObject };
    readonly isChanged?: true;
  };
  /** Only requests permissions, for later calls. */
  readonly request?: { readonly permissions: ExtraPermissions; readonly reason?: string };
  /** Only asks the user this. */
  readonly input?: readonly UserQuestion[];
  /** Runs at the client, which defined this tool. */
  readonly client?: { readonly tool: string; readonly namespace?: string };
}

type MissingPath = Readonly<Record<'path' | 'above', string>>;
/** `place`: the path with links followed. Absent: it has none. */
export type NeededPath = { readonly path: string; readonly access: 'read' | 'write'; readonly place?: string };

export interface Escalation {
  readonly reason?: string;
  /** Permissions needed within the sandbox. Absent: it wants to run outside. */
  readonly permissions?: ExtraPermissions;
  /** The rule that the model proposes: it covers commands that begin with these words. */
  readonly prefix?: readonly string[];
}

/** Files that the sandbox denied to a call, if the user could allow them. */
export type BlockedFiles = readonly NeededPath[];

/** True if a call under this policy may have changed files. */
export function mayChangeFiles(granted: ResolvedPolicy, { effect }: CallNeeds): boolean {
  if (effect !== 'program') return effect === 'files';
  return granted.files.kind === 'unrestricted' || writablePaths(granted).length > 0;
}
