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
import type { Grant, GrantedExtra } from '../grants/grants.ts';
import { writablePaths } from '../paths/access.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import { allowsAsking, approvalName, type QuestionTopic } from './approval-policy.ts';

/** All that a decision about a call depends on, besides the call. */
export interface DecisionContext {
  readonly approval: ApprovalPolicy;
  readonly policy: ResolvedPolicy;
  readonly rules: RuleSet;
  /** Of earlier answers, for the session and for the turn. */
  readonly grants: readonly Grant[];
  /** False: no surface can ask; what would be asked is refused, and the text says so. */
  readonly canAsk: boolean;
  /** The user answers, and no one in their place. Absent: no. */
  readonly hasUser?: boolean;
  /** The thread was started to change nothing. Absent: no. */
  readonly changesNothing?: boolean;
  /** Of `needs.argv`. Absent: not looked at, because nothing depends on it. */
  readonly analysis?: CommandAnalysis;
  /** Of `needs.argv`: the same text for every spelling of the command. Absent: the words as they are. */
  readonly canonical?: string;
  /** Where `needs.argv` would run. Absent: not looked at, so no rule lets it out of the sandbox. */
  readonly ground?: TamperState;
}

export type CallDecision = RunDecision | AskDecision | RefuseDecision;

/** What a decision rests on: the call starts on no other ground. Absent: on none. */
interface DecidedOn {
  readonly ground?: TamperState;
}

export interface RunDecision extends DecidedOn {
  readonly kind: 'run';
  readonly where: 'sandbox' | 'outside';
  /** What it may do besides what the sandbox grants. */
  readonly extra?: GrantedExtra;
}

export interface AskDecision extends DecidedOn {
  readonly kind: 'ask';
  readonly question: Omit<Question, 'id' | 'callId' | 'turnId' | 'tool' | 'item'>;
  /** Where it runs when the user allows it. */
  readonly where: 'sandbox' | 'outside';
  readonly extra?: GrantedExtra;
  /** What `session` would keep. */
  readonly grantKeys: readonly string[];
  /** Only a question of its own lets it run: no yes of a hook counts. */
  readonly byUser?: true;
  /** Why it offers no rule, or no answer for the session; the question's reason says it. Absent: it offers all. */
  readonly notOffered?: NotOfferedAnswers;
}

/** Why a question offers no rule, or no answer for the session. */
export type NotOfferedReason =
  /** Its input stays open. */
  | { readonly kind: 'typed' }
  /** The command may destroy data or run other code. */
  | { readonly kind: 'danger' }
  /** A rule says that this command is always asked about. */
  | { readonly kind: 'rule' }
  /** Rules that allow commands are switched off for the model. */
  | { readonly kind: 'no-rules' }
  /** It stays inside, with single permissions. */
  | { readonly kind: 'permissions' }
  | { readonly kind: 'script'; readonly why: UnknownReason }
  | { readonly kind: 'several' }
  /** It starts another command, and each would need a rule: `sudo make`. */
  | { readonly kind: 'wrapper'; readonly name: string }
  | { readonly kind: 'broad'; readonly words: readonly string[] }
  | { readonly kind: 'builtin'; readonly name: string; readonly effect: 'changes' | 'evaluates' }
  | { readonly kind: 'variable'; readonly name: string }
  /** Commands can put another program of that name there. */
  | { readonly kind: 'search-path'; readonly folder: string }
  | { readonly kind: 'program'; readonly program: string }
  /** Commands may have written what git runs, or write it meanwhile. */
  | { readonly kind: 'git' }
  /** A rule for a host has no port of its own. */
  | { readonly kind: 'port' }
  /** The configuration of an MCP server, or a hook, asks each time. */
  | { readonly kind: 'each-time'; readonly by: string };

export interface NotOfferedAnswers {
  readonly rule?: NotOfferedReason;
  readonly session?: NotOfferedReason;
}

export interface RefuseDecision {
  readonly kind: 'refuse';
  readonly why: string;
  readonly next: string;
}

/** Whether such a question would reach the user. */
export function canAskAbout({ approval, canAsk }: Pick<DecisionContext, 'approval' | 'canAsk'>, about: QuestionTopic) {
  return canAsk && allowsAsking(approval, about);
}

/** Why the user is not asked, as the rest of a sentence. `danger`: a question of the sandbox about what destroys, which needs no sandbox. */
export function reasonNotAsked(
  { approval }: Pick<DecisionContext, 'approval'>,
  about: QuestionTopic | 'danger',
): string {
  if (typeof approval === 'string' || allowsAsking(approval, about === 'danger' ? 'sandbox' : about)) {
    return `the approval policy is ${approvalName(approval)}, and the user cannot be asked.`;
  }
  return `the approval policy turns off questions about ${aboutWords[about]}.`;
}

const aboutWords: Readonly<Record<QuestionTopic | 'danger', string>> = {
  danger: 'commands that destroy (sandbox_approval)',
  sandbox: 'leaving the sandbox (sandbox_approval)',
  rules: 'commands that a rule asks about (rules)',
  permissions: 'more permissions (request_permissions)',
  mcp: 'tools of MCP servers (mcp_elicitations)',
};

/** A sandbox opens only what exists: a yes would change nothing. Undefined: all that is asked for does. */
export function refuseMissingPaths(
  { write = [] }: ExtraPermissions,
  missing: readonly MissingPath[] = [],
): RefuseDecision | undefined {
  const found = missing.find(({ path }) => write.includes(path));
  if (found === undefined) return undefined;
  const why = `${JSON.stringify(found.path)} does not exist, and a sandbox can open only what exists.`;
  return { kind: 'refuse', why, next: found.above === '/' ? toCreate(found.path) : toOpen(found.above) };
}

function toOpen(folder: string): string {
  return `Ask for ${JSON.stringify(folder)}, the nearest folder above it.`;
}

/** Nothing above it is there but the root, and no task needs all of that. */
function toCreate(path: string): string {
  const [, first = ''] = path.split('/');
  const folder = JSON.stringify(`/${first}`);
  return `Nothing above it exists either. Ask to create ${folder} with a command outside the sandbox, or tell the user that it is missing. Do not ask for "/".`;
}

/** What a profile denies, no answer of a user opens. */
export function refuseDeniedPath(path: string): RefuseDecision {
  const why = `${JSON.stringify(path)} is denied, and no request can change that.`;
  return { kind: 'refuse', why, next: 'Do without it, or tell the user what is needed.' };
}

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
interface MissingPath {
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
export interface BlockedFiles {
  readonly paths: readonly NeededPath[];
}

/** Whether files may be other ones after a call that ran under this policy. */
export function mayChangeFiles(granted: ResolvedPolicy, { effect }: CallNeeds): boolean {
  if (effect !== 'program') return effect === 'files';
  return granted.files.kind === 'unrestricted' || writablePaths(granted).length > 0;
}
