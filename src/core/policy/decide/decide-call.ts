import { defined } from '../../../base/objects.ts';
import type { UserQuestion } from '../../../protocol/question.ts';
import {
  firstNeverGranted,
  grantedPolicy,
  isNeverGranted,
  isNoPermission,
  missingPermissions,
  standingPermissions,
} from '../grants/granted-policy.ts';
import {
  coversAll,
  fileKey,
  mcpToolDigest,
  mcpToolKey,
  permissionKeys,
  toolKey,
  wasGrantedOtherwise,
} from '../grants/grants.ts';
import { parentPath } from '../paths/absolute-paths.ts';
import { accessAt, needsSandbox } from '../paths/access.ts';
import { withReadOnlyBesideGit } from '../profiles/narrower-profile.ts';
import { matchRules } from '../rules/match-rules.ts';
import { noRules, type PrefixRule } from '../rules/rule-set.ts';
import {
  type AskDecision,
  type CallDecision,
  type CallNeeds,
  canAskAbout,
  type DecisionContext,
  type NeededPath,
  reasonNotAsked,
  type RefuseDecision,
  refuseDeniedPath,
  refuseMissingPaths,
  type RunDecision,
} from './call-decision.ts';
import { decideCommand, describeTyping } from './decide-command.ts';
import { describeNotOffered, describeOpenedNetwork } from './question-content.ts';

/**
 * Decides whether a call runs, and where. Tools do not ask: they declare their needs, which are judged here before they
 * run.
 */
export function decideCall(context: DecisionContext, needs: CallNeeds): CallDecision {
  if (needs.remote !== undefined) return decideRemote(context, needs.remote);
  if (needs.mcp !== undefined) return decideMcp(context, needs.mcp);
  if (needs.request !== undefined) return decideRequest(context, needs.request, needs);
  if (needs.input !== undefined) return decideInput(context, needs.input);
  if (needs.client !== undefined) return decideClientTool(context, needs.client);
  switch (needs.effect) {
    case 'program':
      return decideCommand(context, needs);
    case 'files':
      return decidePatch(context, needs);
    default:
      return { kind: 'run', where: 'sandbox' };
  }
}

/**
 * True if the decision depends on the command's content; otherwise no parser is loaded. `maybeDangerous`: a quick look
 * could not rule out danger.
 */
export function dependsOnAnalysis(
  { approval, rules, canAsk, policy }: Pick<DecisionContext, 'approval' | 'rules' | 'canAsk' | 'policy'>,
  { effect, argv, escalation }: CallNeeds,
  { maybeDangerous }: { readonly maybeDangerous: boolean },
): boolean {
  if (effect !== 'program' || argv === undefined) return false;
  if (maybeDangerous || rules.prefixes.length > 0 || approval === 'untrusted') return true;
  return escalation !== undefined && canAsk && needsSandbox(policy);
}

/**
 * A client's tool runs at the client, which may refuse it, so neither approval policy nor reviewer decides. The call
 * waits for the client's result as for an answer.
 */
function decideClientTool(
  { hasUser }: Pick<DecisionContext, 'hasUser'>,
  client: NonNullable<CallNeeds['client']>,
): CallDecision {
  if (hasUser !== true) {
    const why = 'the tool belongs to a client that is not connected.';
    return { kind: 'refuse', why, next: 'Do without it, or tell the user what is needed.' };
  }
  return { kind: 'ask', question: { kind: 'client-tool', client, scopes: ['call'] }, where: 'sandbox', grantKeys: [] };
}

/**
 * A question of the model grants nothing, so the approval policy does not apply. Only the user can answer: a reviewer
 * could only say what the model could say itself.
 */
function decideInput({ hasUser }: DecisionContext, input: readonly UserQuestion[]): CallDecision {
  if (hasUser !== true) {
    const why = 'the user cannot be asked in this run.';
    return { kind: 'refuse', why, next: 'Decide yourself, and say in your answer what you assumed.' };
  }
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
  const run = { kind: 'run', where: 'sandbox' } as const;
  const isFree = approval === 'never' && !needsSandbox(policy);
  const mayWrite = changesNothing && !onlyReads(need);
  if (!asksAboutTool(need, { isFree, changesNothing })) return run;
  const asked = { server, tool, digest: mcpToolDigest(need) };
  const grantKeys = [mcpToolKey(asked)];
  if (!mayWrite && mode === 'auto' && coversAll(grants, grantKeys)) return run;
  const what = `the tool ${JSON.stringify(tool)} of the MCP server ${JSON.stringify(server)}`;
  if (!canAskAbout(context, 'mcp')) {
    const why = `${what} needs an approval, and ${reasonNotAsked(context, 'mcp')}`;
    return { kind: 'refuse', why, next: 'Do without it, or tell the user what is needed.' };
  }
  const isOnce = mode !== 'auto' || mayWrite;
  const by = mayWrite ? 'a turn that changes nothing' : `its approval mode "${mode}"`;
  const why = { kind: 'each-time', by } as const;
  const notOffered = isOnce ? { rule: why, session: why } : undefined;
  const once = notOffered === undefined ? '' : ` ${describeNotOffered(notOffered)}`;
  const isChanged = need.isChanged === true || wasGrantedOtherwise(grants, asked);
  const changed = isChanged ? ' The server changed the tool since you allowed it.' : '';
  const reason = `${what[0]?.toUpperCase()}${what.slice(1)} acts outside the sandbox.${changed} ${claimOf(need)}${once}`;
  const scopes = isOnce ? (['call'] as const) : (['call', 'session', 'rule'] as const);
  return {
    kind: 'ask',
    question: { kind: 'tool', reason, scopes, mcp: asked },
    where: 'sandbox',
    grantKeys,
    ...defined({ notOffered }),
  };
}

function onlyReads({ hints: { readOnly, destructive } }: Pick<McpNeed, 'hints'>): boolean {
  return readOnly === true && destructive !== true;
}

/**
 * True if its calls need a question, unless an earlier answer covers them. `isFree`: the policy leaves everything to
 * the model.
 */
export function asksAboutTool(
  need: Pick<McpNeed, 'mode' | 'hints'>,
  { isFree, changesNothing }: { readonly isFree: boolean; readonly changesNothing: boolean },
): boolean {
  return (changesNothing && !onlyReads(need)) || (needsApproval(need) && !isFree);
}

function needsApproval({
  mode,
  hints: { readOnly, destructive, openWorld = true },
}: Pick<McpNeed, 'mode' | 'hints'>): boolean {
  switch (mode) {
    case 'approve':
      return false;
    case 'prompt':
      return true;
    case 'writes':
      return readOnly !== true;
    case 'auto':
      return destructive === true || (readOnly !== true && (destructive !== false || openWorld));
  }
}

function claimOf({ mode, hints: { readOnly, destructive } }: McpNeed): string {
  if (destructive === true) return 'The server says that it may destroy something.';
  if (readOnly === true) return 'The server says that it only reads; your configuration asks about it all the same.';
  return mode === 'auto' || mode === 'approve'
    ? 'The server does not say that it only reads.'
    : 'Your configuration asks about it.';
}

/**
 * A patch asks if one of its files is not writable, and always under `untrusted`. It then gets only the folders of
 * those files. If the user cannot be asked it runs, and its own guard refuses forbidden files, naming what may be
 * written.
 */
function decidePatch(context: DecisionContext, { paths = [], kept, escalation }: CallNeeds): CallDecision {
  const { approval, policy, grants } = context;
  const standing = standingPermissions(policy, grants);
  const usual = isNoPermission(standing) ? {} : { extra: standing };
  const open = withReadOnlyBesideGit(grantedPolicy(policy, { where: 'sandbox', ...usual }), kept);
  const written = paths.filter((needed) => needed.access === 'write');
  const unwritable = written.filter(({ path }) => accessAt(open, path) !== 'write');
  const closed = unwritable.map(placeOf);
  const run = { kind: 'run', where: 'sandbox', ...usual } as const;
  const asksAnyway = approval === 'untrusted';
  if (!asksAnyway && closed.length === 0) return run;
  // No answer could make it writable.
  const paired = unwritable.flatMap((needed) => [needed.path, placeOf(needed)]);
  if (paired.some((path) => isNeverGranted(policy, path, 'write'))) return run;
  if (!canAskAbout(context, 'sandbox')) {
    if (!asksAnyway) return run;
    return { kind: 'refuse', why: reasonNotAsked(context, 'sandbox'), next: 'Tell the user what is needed.' };
  }
  const write = [...new Set(closed.map(parentPath))];
  const permissions = write.length === 0 ? undefined : { write };
  // Open the folder as spelled as well: a patch is checked against both.
  const opened = [...new Set([...write, ...unwritable.map(({ path }) => parentPath(path))])];
  const extra = write.length === 0 ? usual.extra : { ...standing, write: [...(standing.write ?? []), ...opened] };
  const grantKeys = [...new Set(asksAnyway ? written.map(placeOf) : closed)].map(fileKey);
  const granted = { where: 'sandbox', ...defined({ extra }) } as const;
  if (coversAll(grants, grantKeys)) return { kind: 'run', ...granted };
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
function placeOf({ path, place = path }: NeededPath): string {
  return place;
}

function reasonOf(closed: readonly string[]): string {
  const [first, ...others] = closed;
  if (first === undefined) {
    return 'The approval policy is untrusted: Capstan asks about each patch. Commands may write all of its files.';
  }
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `The sandbox does not let it write ${JSON.stringify(first)}${more}.`;
}

/**
 * A call that acts outside any sandbox. It runs if it only reads. Otherwise it needs a question, unless the turn has no
 * sandbox and its policy lets commands run unasked.
 */
function decideRemote(context: DecisionContext, { tool, reads }: NonNullable<CallNeeds['remote']>): CallDecision {
  const { approval, policy, grants } = context;
  const run = { kind: 'run', where: 'sandbox' } as const;
  const isFree = !needsSandbox(policy) && approval !== 'untrusted';
  const grantKeys = [toolKey(tool)];
  if (reads === true || isFree || coversAll(grants, grantKeys)) return run;
  const reason = `The tool ${JSON.stringify(tool)} acts outside the sandbox.`;
  if (!canAskAbout(context, 'sandbox')) {
    const why = `the tool ${JSON.stringify(tool)} acts outside the sandbox, and ${reasonNotAsked(context, 'sandbox')}`;
    return { kind: 'refuse', why, next: 'Do without it, or tell the user what is needed.' };
  }
  return { kind: 'ask', question: { kind: 'tool', reason, scopes: ['call', 'session'] }, where: 'sandbox', grantKeys };
}

/** Permissions for later calls. Those already granted are not requested again. */
function decideRequest(
  context: DecisionContext,
  { permissions: wanted, reason }: NonNullable<CallNeeds['request']>,
  { missing, kept }: Pick<CallNeeds, 'missing' | 'kept'>,
): CallDecision {
  const { policy, grants } = context;
  if (!needsSandbox(policy)) return { kind: 'run', where: 'sandbox' };
  const open = grantedPolicy(policy, { where: 'sandbox', extra: standingPermissions(policy, grants) });
  const permissions = missingPermissions(withReadOnlyBesideGit(open, kept), wanted);
  if (isNoPermission(permissions)) return { kind: 'run', where: 'sandbox' };
  const denied = firstNeverGranted(policy, permissions);
  if (denied !== undefined) return refuseDeniedPath(denied);
  if (!canAskAbout(context, 'permissions')) {
    const next = 'Work with the permissions that you have, or tell the user what is needed.';
    return { kind: 'refuse', why: reasonNotAsked(context, 'permissions'), next };
  }
  const absent = refuseMissingPaths(permissions, missing);
  if (absent !== undefined) return absent;
  const opened = permissions.network === true ? describeOpenedNetwork(policy.lists) : undefined;
  const inside = 'Commands would still run inside the sandbox.';
  const why = { reason: opened === undefined ? inside : `${inside} ${opened}`, ...defined({ justification: reason }) };
  return {
    kind: 'ask',
    question: { kind: 'permissions', ...why, permissions, scopes: ['call', 'session'] },
    where: 'sandbox',
    grantKeys: permissionKeys(permissions),
  };
}

export interface DecisionUnderHook {
  readonly hook: 'allow' | 'ask';
  readonly decided: CallDecision;
  /** The decision if the user could be asked. */
  readonly asked: CallDecision;
  readonly canAsk: boolean;
  readonly isManaged: boolean;
  /** Only the user may let out a call that would change something. */
  readonly changesNothing: boolean;
}

/**
 * Applies a hook's answer: its yes replaces the user's answer, and its `ask` turns a permitted call into a question. It
 * never lifts a prohibition, lets nothing out of a turn that changes nothing, and never answers for an administrator's
 * rule or where the user wants a question for each such call.
 */
export function decideUnderHook(
  { hook, decided, asked, canAsk, isManaged, changesNothing }: DecisionUnderHook,
  { effect, argv, cwd, typed }: CallNeeds,
): CallDecision {
  if (hook === 'allow') {
    const counts = asked.kind === 'ask' && asked.byUser !== true && !isManaged && !changesNothing;
    return counts ? yesTo(asked) : decided;
  }
  if (decided.kind !== 'run') return decided;
  if (!canAsk) return notAsked;
  const kind = effect === 'program' ? 'command' : effect === 'files' ? 'patch' : 'tool';
  const why = { kind: 'each-time', by: 'the hook' } as const;
  const notOffered = { rule: why, session: why };
  const question = {
    kind,
    reason: [
      'A hook wants you to decide.',
      describeTyping(defined({ typed })) ?? [],
      describeNotOffered(notOffered) ?? [],
    ]
      .flat()
      .join(' '),
    scopes: ['call'],
    ...defined({ argv, cwd, typed }),
  } as const;
  return {
    kind: 'ask',
    question,
    where: decided.where,
    ...defined({ extra: decided.extra }),
    grantKeys: [],
    notOffered,
  };
}

function yesTo({ where, extra }: AskDecision): RunDecision {
  return { kind: 'run', where, ...defined({ extra }) };
}

const notAsked: RefuseDecision = {
  kind: 'refuse',
  why: 'a hook wants the user to decide, and the user cannot be asked.',
  next: 'Do without it, or tell the user what is needed.',
};

/** True if an administrator's rule covers one of these commands, or may cover one that cannot be analysed. */
export function isHeldByRules(
  rules: readonly PrefixRule[] | undefined,
  commands: readonly (readonly string[])[] | undefined,
): boolean {
  if (rules === undefined || rules.length === 0) return false;
  const all = { ...noRules, prefixes: rules };
  return commands?.some((words) => matchRules(all, words, { resolveExecutables: true }).length > 0) ?? true;
}
