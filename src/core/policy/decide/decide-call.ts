import { defined } from '../../../base/objects.ts';
import type { UserQuestion } from '../../../protocol/question.ts';
import type { CommandAnalysis } from '../commands/analyse-command.ts';
import {
  firstNeverGranted,
  isNeverGranted,
  isNoPermission,
  missingPermissions,
  standingPermissions,
} from '../grants/granted-policy.ts';
import {
  grantsCoverAll,
  fileGrantKey,
  mcpToolDigest,
  mcpToolGrantKey,
  permissionGrantKeys,
  toolGrantKey,
  wasGrantedBeforeChange,
} from '../grants/grants.ts';
import { parentPath } from '../paths/absolute-paths.ts';
import { accessAt, needsSandbox } from '../paths/access.ts';
import { matchRules } from '../rules/match-rules.ts';
import { noRules, type PrefixRule } from '../rules/rule-set.ts';
import {
  canAskAbout,
  reasonNotAsked,
  refusalDecision,
  deniedPathRefusal,
  missingPathsRefusal,
} from './call-decision.ts';
import type { CallDecision, CallNeeds, DecisionContext, NeededPath, RunDecision } from './call-decision.ts';
import { decideCommand, describeTyping, usualPolicy } from './decide-command.ts';
import { describeNotOffered, describeOpenedNetwork } from './question-content.ts';

/** Decides whether a call runs, and where. Tools do not ask: they declare their needs, which are judged here. */
export function decideCall(context: DecisionContext, needs: CallNeeds): CallDecision {
  if (needs.remote !== undefined) return decideRemote(context, needs.remote);
  if (needs.mcp !== undefined) return decideMcp(context, needs.mcp);
  if (needs.request !== undefined) return decideRequest(context, needs.request, needs);
  if (needs.input !== undefined) return decideInput(context, needs.input);
  if (needs.client !== undefined) return decideClientTool(context, needs.client);
  if (needs.effect === 'program') return decideCommand(context, needs);
  return needs.effect === 'files' ? decidePatch(context, needs) : run;
}

const run: RunDecision = { kind: 'run', where: 'sandbox' };

/** True if the decision needs the command's content; else no parser is loaded. `maybeDangerous`: from a quick check. */
export function dependsOnAnalysis(
  { approval, rules, canAsk, policy }: Pick<DecisionContext, 'approval' | 'rules' | 'canAsk' | 'policy'>,
  { effect, argv, escalation }: CallNeeds,
  { maybeDangerous }: { readonly maybeDangerous: boolean },
): boolean {
  if (effect !== 'program' || argv === undefined) return false;
  if (maybeDangerous || rules.prefixes.length > 0 || approval === 'untrusted') return true;
  return escalation !== undefined && canAsk && needsSandbox(policy);
}

/** The client itself may refuse the call, so no policy or reviewer decides. The call waits as if for an answer. */
function decideClientTool({ hasUser }: DecisionContext, client: NonNullable<CallNeeds['client']>): CallDecision {
  if (hasUser !== true) return refusalDecision('the tool belongs to a client that is not connected.');
  return { kind: 'ask', question: { kind: 'client-tool', client, scopes: ['call'] }, where: 'sandbox', grantKeys: [] };
}

/**
 * A model's question grants nothing, so no approval policy applies. Only the user can answer it: a reviewer could only
 * say what the model could say itself.
 */
function decideInput({ hasUser }: DecisionContext, input: readonly UserQuestion[]): CallDecision {
  const next = 'Decide yourself, and say in your answer what you assumed.';
  if (hasUser !== true) return refusalDecision('the user cannot be asked in this run.', next);
  return { kind: 'ask', question: { kind: 'input', input, scopes: ['call'] }, where: 'sandbox', grantKeys: [] };
}

type McpNeed = NonNullable<CallNeeds['mcp']>;

/**
 * A server's tool acts outside any sandbox. The configured mode says when to ask; by default it depends on the tool's
 * hints, and a tool without hints counts as changing things. In a thread that changes nothing neither mode nor an
 * earlier answer lets such a tool run.
 */
export function decideMcp(context: DecisionContext, need: McpNeed): CallDecision {
  const { approval, policy, grants, changesNothing = false } = context;
  const { server, tool, mode } = need;
  const isFree = approval === 'never' && !needsSandbox(policy);
  const mayWrite = changesNothing && !onlyReads(need);
  if (!asksAboutTool(need, { isFree, changesNothing })) return run;
  const asked = { server, tool, digest: mcpToolDigest(need) };
  const grantKeys = [mcpToolGrantKey(asked)];
  if (!mayWrite && mode === 'auto' && grantsCoverAll(grants, grantKeys)) return run;
  const what = `the tool ${JSON.stringify(tool)} of the MCP server ${JSON.stringify(server)}`;
  if (!canAskAbout(context, 'mcp'))
    return refusalDecision(`${what} needs an approval, and ${reasonNotAsked(context, 'mcp')}`);
  const isOnce = mode !== 'auto' || mayWrite;
  const by = mayWrite ? 'a turn that changes nothing' : `its approval mode "${mode}"`;
  const why = { kind: 'each-time', by } as const;
  const notOffered = isOnce ? { rule: why, session: why } : undefined;
  const once = notOffered === undefined ? '' : ` ${describeNotOffered(notOffered)}`;
  const isChanged = need.isChanged === true || wasGrantedBeforeChange(grants, asked);
  const changed = isChanged ? ' The server changed the tool since you allowed it.' : '';
  const reason = `${what[0]?.toUpperCase()}${what.slice(1)} acts outside the sandbox.${changed} ${claimOf(need)}${once}`;
  const scopes = isOnce ? (['call'] as const) : (['call', 'session', 'rule'] as const);
  const question = { kind: 'tool', reason, scopes, mcp: asked } as const;
  return { kind: 'ask', question, where: 'sandbox', grantKeys, notOffered };
}

const onlyReads = ({ hints: { readOnly, destructive } }: Pick<McpNeed, 'hints'>): boolean =>
  readOnly === true && destructive !== true;

type JudgedTool = Pick<McpNeed, 'mode' | 'hints'>;
type ToolFreedom = Readonly<Record<'isFree' | 'changesNothing', boolean>>;

/** True if its calls need a question or an earlier answer. `isFree`: the policy leaves everything to the model. */
export const asksAboutTool = (need: JudgedTool, { isFree, changesNothing }: ToolFreedom): boolean =>
  (changesNothing && !onlyReads(need)) || (needsApproval(need) && !isFree);

function needsApproval({ mode, hints }: JudgedTool): boolean {
  const { readOnly, destructive, openWorld = true } = hints;
  if (mode === 'approve' || mode === 'prompt') return mode === 'prompt';
  if (mode === 'writes') return readOnly !== true;
  return destructive === true || (readOnly !== true && (destructive !== false || openWorld));
}

function claimOf({ mode, hints: { readOnly, destructive } }: McpNeed): string {
  if (destructive === true) return 'The server says that it may destroy something.';
  if (readOnly === true) return 'The server says that it only reads; your configuration asks about it all the same.';
  const isSilent = mode === 'auto' || mode === 'approve';
  return isSilent ? 'The server does not say that it only reads.' : 'Your configuration asks about it.';
}

/**
 * A patch asks if one of its files is not writable, and always under `untrusted`. It then gets only the folders of
 * those files. If the user cannot be asked it runs, and its own guard refuses forbidden files, naming what may be
 * written.
 */
function decidePatch(context: DecisionContext, { paths = [], kept, escalation }: CallNeeds): CallDecision {
  const { approval, policy, grants } = context;
  const standing = standingPermissions(policy, grants);
  const open = usualPolicy(policy, standing, { kept });
  const usual = isNoPermission(standing) ? {} : { extra: standing };
  const written = paths.filter((needed) => needed.access === 'write');
  const unwritable = written.filter(({ path }) => accessAt(open, path) !== 'write');
  const closed = unwritable.map(placeOf);
  const runAsUsual = { kind: 'run', where: 'sandbox', ...usual } as const;
  const asksAnyway = approval === 'untrusted';
  if (!asksAnyway && closed.length === 0) return runAsUsual;
  // No answer could make the file writable. The patch runs, and its own guard refuses that file.
  const paired = unwritable.flatMap((needed) => [needed.path, placeOf(needed)]);
  if (paired.some((path) => isNeverGranted(policy, path, 'write'))) return runAsUsual;
  if (!canAskAbout(context, 'sandbox') && asksAnyway)
    return refusalDecision(reasonNotAsked(context, 'sandbox'), 'Tell the user what is needed.');
  if (!canAskAbout(context, 'sandbox')) return runAsUsual;
  const write = [...new Set(closed.map(parentPath))];
  const permissions = write.length === 0 ? undefined : { write };
  // Open the folder as spelled as well: a patch is checked against both.
  const opened = [...new Set([...write, ...unwritable.map(({ path }) => parentPath(path))])];
  const extra = write.length === 0 ? usual.extra : { ...standing, write: [...(standing.write ?? []), ...opened] };
  const grantKeys = [...new Set(asksAnyway ? written.map(placeOf) : closed)].map(fileGrantKey);
  const granted = { where: 'sandbox', ...defined({ extra }) } as const;
  if (grantsCoverAll(grants, grantKeys)) return { kind: 'run', ...granted };
  return {
    kind: 'ask',
    question: {
      kind: 'patch',
      reason: reasonOf(closed),
      ...defined({ justification: escalation?.reason, permissions }),
      paths,
      scopes: ['call', 'session'],
    },
    ...granted,
    grantKeys,
  };
}

/** An approval covers this file only: the path may lead to another one later. */
const placeOf = ({ path, place = path }: NeededPath): string => place;

function reasonOf(closed: readonly string[]): string {
  const [first, ...others] = closed;
  if (first === undefined)
    return 'The approval policy is untrusted: Capstan asks about each patch. Commands may write all of its files.';
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `The sandbox does not let it write ${JSON.stringify(first)}${more}.`;
}

/** It acts outside any sandbox: it asks, unless it only reads or commands run unasked and without a sandbox. */
function decideRemote(context: DecisionContext, { tool, reads }: NonNullable<CallNeeds['remote']>): CallDecision {
  const { approval, policy, grants } = context;
  const isFree = !needsSandbox(policy) && approval !== 'untrusted';
  const grantKeys = [toolGrantKey(tool)];
  if (reads === true || isFree || grantsCoverAll(grants, grantKeys)) return run;
  const acts = `tool ${JSON.stringify(tool)} acts outside the sandbox`;
  if (!canAskAbout(context, 'sandbox'))
    return refusalDecision(`the ${acts}, and ${reasonNotAsked(context, 'sandbox')}`);
  const question = { kind: 'tool', reason: `The ${acts}.`, scopes: ['call', 'session'] } as const;
  return { kind: 'ask', question, where: 'sandbox', grantKeys };
}

/** Permissions for later calls. Those already granted are not requested again. */
function decideRequest(
  context: DecisionContext,
  { permissions: wanted, reason }: NonNullable<CallNeeds['request']>,
  { missing, kept }: Pick<CallNeeds, 'missing' | 'kept'>,
): CallDecision {
  const { policy, grants } = context;
  if (!needsSandbox(policy)) return run;
  const open = usualPolicy(policy, standingPermissions(policy, grants), { kept });
  const permissions = missingPermissions(open, wanted);
  if (isNoPermission(permissions)) return run;
  const denied = firstNeverGranted(policy, permissions);
  if (denied !== undefined) return deniedPathRefusal(denied);
  if (!canAskAbout(context, 'permissions')) {
    const next = 'Work with the permissions that you have, or tell the user what is needed.';
    return refusalDecision(reasonNotAsked(context, 'permissions'), next);
  }
  const absent = missingPathsRefusal(permissions, missing);
  if (absent !== undefined) return absent;
  const opened = permissions.network === true ? describeOpenedNetwork(policy.lists) : undefined;
  const inside = 'Commands would still run inside the sandbox.';
  const why = { reason: opened === undefined ? inside : `${inside} ${opened}`, ...defined({ justification: reason }) };
  return {
    kind: 'ask',
    question: { kind: 'permissions', ...why, permissions, scopes: ['call', 'session'] },
    where: 'sandbox',
    grantKeys: permissionGrantKeys(permissions),
  };
}

export interface DecisionUnderHook {
  readonly hook: 'allow' | 'ask';
  readonly decided: CallDecision;
  /** The decision if the user could be asked. */
  readonly asked: CallDecision;
  readonly canAsk: boolean;
  readonly isManaged: boolean;
  /** The turn changes nothing: only the user may let out a call that would change something. */
  readonly changesNothing: boolean;
}

/**
 * Applies a hook's answer: its yes replaces the user's answer, and its `ask` turns a permitted call into a question. It
 * never lifts a prohibition, lets nothing out of a turn that changes nothing, and never answers for an administrator's
 * rule or where the user wants a question for each such call.
 */
export function decideUnderHook(given: DecisionUnderHook, { effect, argv, cwd, typed }: CallNeeds): CallDecision {
  const { hook, decided, asked, canAsk, isManaged, changesNothing } = given;
  if (hook === 'allow') {
    const counts = asked.kind === 'ask' && asked.byUser !== true && !isManaged && !changesNothing;
    return counts ? { kind: 'run', where: asked.where, extra: asked.extra } : decided;
  }
  if (decided.kind !== 'run') return decided;
  if (!canAsk) return refusalDecision('a hook wants the user to decide, and the user cannot be asked.');
  const kind = effect === 'program' ? 'command' : effect === 'files' ? 'patch' : 'tool';
  const why = { kind: 'each-time', by: 'the hook' } as const;
  const notOffered = { rule: why, session: why };
  const reasons = ['A hook wants you to decide.', describeTyping({ typed }), describeNotOffered(notOffered)];
  const reason = reasons.filter((part) => part !== undefined).join(' ');
  const question = { kind, reason, scopes: ['call'], ...defined({ argv, cwd, typed }) } as const;
  return { kind: 'ask', question, where: decided.where, extra: decided.extra, grantKeys: [], notOffered };
}

/** True if an administrator's rule covers one of these commands, or may cover one that cannot be analysed. */
export function isHeldByManagedRules(rules: readonly PrefixRule[] | undefined, commands: CommandAnalysis['commands']) {
  if (rules === undefined || rules.length === 0) return false;
  const all = { ...noRules, prefixes: rules };
  return commands?.some((words) => matchRules(all, words, { resolveExecutables: true }).length > 0) ?? true;
}
