import { defined } from '../../../base/objects.ts';
import { endWithFullStop } from '../../../protocol/outcome.ts';
import type { ExtraPermissions, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { describeGitDanger, startsGit } from '../git/git-commands.ts';
import {
  firstNeverGranted,
  grantedPolicy,
  isNoPermission,
  joinPermissions,
  missingPermissions,
  standingPermissions,
} from '../grants/granted-policy.ts';
import { commandGrantKey, type GrantedPermissions, grantsCoverAll } from '../grants/grants.ts';
import { isDenied, needsSandbox } from '../paths/access.ts';
import { withReadOnlyBesideGit } from '../profiles/narrower-profile.ts';
import type { RuleMatch } from '../rules/match-rules.ts';
import type { QuestionTopic } from './approval-policy.ts';
import {
  canAskAbout,
  reasonNotAsked,
  refusalDecision,
  deniedPathRefusal,
  missingPathsRefusal,
} from './call-decision.ts';
import type { BlockedFiles, CallDecision, CallNeeds, DecisionContext, NotOfferedAnswers } from './call-decision.ts';
import { type CommandJudgement, judgeCommands, longestMatch } from './judge-commands.ts';
import {
  describeInsideRun,
  describeNotOffered,
  describeOpenedNetwork,
  describeOutsideRun,
  type OfferedRule,
  offeredRule,
  reasonNoSessionAnswer,
  ruleKeepsSandbox,
} from './question-content.ts';

/** Applies rules first, then the command's known effects, then its requests. */
export function decideCommand(context: DecisionContext, needs: CallNeeds): CallDecision {
  const asks = wanted(context, needs);
  if ('kind' in asks) return asks;
  const { where, extra } = asks;
  const judged = judgeCommands(context, needs, { escalates: asks.beyond });
  const forbidden = longestMatch(judged, 'forbidden');
  if (forbidden !== undefined) return refusalDecision(endWithFullStop(ruleWords('forbids', forbidden)), findAnotherWay);
  if (judged.decision === 'allow') return { kind: 'run', where: judged.allowedByRules ? 'outside' : 'sandbox', extra };
  const about: QuestionTopic = judged.byRule ? 'rules' : 'sandbox';
  if (!canAskAbout(context, about)) return refused(context, needs, judged, about);
  const { argv, cwd, escalation, paths, typed } = needs;
  const permitted = where === 'outside' ? undefined : asks.lacking;
  // Neither a rule nor a session answer covers these effects: next time they may start another program.
  const danger = dangerOutside(context, needs, where);
  const byUser = danger !== undefined || undefined;
  const leaves = where === 'outside' || !needsSandbox(context.policy);
  const session = reasonNoSessionAnswer(context, judged, { typed: typed === true, isByUser: byUser === true, leaves });
  const isOnce = byUser === true || session !== undefined;
  const grantKeys = isOnce ? [] : lastingKeys(context, needs, where, permitted);
  if (grantsCoverAll(context.grants, grantKeys)) return { kind: 'run', where, extra };
  const offered: OfferedRule =
    permitted === undefined ? offeredRule(context, judged, needs) : { why: { kind: 'permissions' } };
  const { prefix, why: rule } = offered;
  const notOffered = rule || session ? defined({ rule, session }) : undefined;
  return {
    kind: 'ask',
    question: {
      kind: 'command',
      ...defined({
        reason: reasonOf(context, judged, { ...asks, needs, notOffered }),
        justification: escalation?.reason,
        paths,
        permissions: permitted,
        prefix,
        confined: ruleKeepsSandbox(context.policy, prefix),
        argv,
        cwd,
        typed,
        commands: context.analysis?.commands,
        seen: context.analysis?.seen,
      }),
      scopes: scopesOf(grantKeys, prefix),
    },
    where,
    ...defined({ extra, byUser, notOffered }),
    grantKeys,
  };
}

/** Further effects of an approval, if the command runs outside the sandbox or there is no sandbox. */
function dangerOutside(context: DecisionContext, needs: CallNeeds, where: Wanted['where']): string | undefined {
  if (where === 'outside') return dangerOutsideSandbox(context, needs);
  return needsSandbox(context.policy) ? undefined : describeEvaluation(context);
}

/** Keys that a session answer stores. None if the call has no words that identify it. */
function lastingKeys(
  { canonical }: DecisionContext,
  needs: CallNeeds,
  where: Wanted['where'],
  extra: ExtraPermissions | undefined,
) {
  const { argv, cwd = '/', typed } = needs;
  if (argv === undefined) return [];
  return [commandGrantKey({ command: canonical ?? JSON.stringify(argv), cwd, where, extra, typed })];
}

/** The policy with the permissions that calls have without a question. */
export const usualPolicy = (policy: ResolvedPolicy, standing: GrantedPermissions, { kept }: CallNeeds) =>
  withReadOnlyBesideGit(grantedPolicy(policy, { where: 'sandbox', extra: standing }), kept);

function wanted(context: DecisionContext, needs: CallNeeds) {
  const { policy, grants } = context;
  const { escalation, missing } = needs;
  const standing = standingPermissions(policy, grants);
  const extra = isNoPermission(standing) ? undefined : standing;
  const usual = { where: 'sandbox', beyond: false, lacking: undefined, extra } as const;
  if (escalation === undefined || !needsSandbox(policy)) return usual;
  const lacking =
    escalation.permissions && missingPermissions(usualPolicy(policy, standing, needs), escalation.permissions);
  if (lacking !== undefined && isNoPermission(lacking)) return usual;
  const denied = firstNeverGranted(policy, lacking ?? {});
  if (denied !== undefined) return deniedPathRefusal(denied);
  if (!canAskAbout(context, 'sandbox')) return refusalDecision(reasonNotAsked(context, 'sandbox'), withinTheSandbox);
  const absent = lacking && missingPathsRefusal(lacking, missing);
  if (absent !== undefined) return absent;
  if (lacking === undefined) return { where: 'outside', beyond: true, lacking, extra: undefined } as const;
  return { where: 'sandbox', beyond: true, lacking, extra: joinPermissions(standing, lacking) } as const;
}

const scopesOf = (grantKeys: readonly string[], prefix: readonly string[] | undefined) => [
  'call' as const,
  ...(grantKeys.length === 0 ? [] : ['session' as const]),
  ...(prefix === undefined ? [] : ['rule' as const]),
];

function refused(context: DecisionContext, needs: CallNeeds, judged: CommandJudgement, about: QuestionTopic) {
  const { danger } = judged;
  const why = reasonNotAsked(context, danger !== undefined && !judged.byRule ? 'danger' : about);
  if (danger !== undefined && !judged.byRule)
    return refusalDecision(`${dangerWords(danger)}; ${why}`, dangerAdvice[danger.kind]);
  const prompting = longestMatch(judged, 'prompt');
  if (prompting !== undefined) {
    const held = ruleWords('asks before', prompting).trim().replace(/\.+$/, '');
    return refusalDecision(`${held}; ${why}`, findAnotherWay);
  }
  return refusalDecision(why, needs.escalation === undefined ? 'Tell the user what is needed.' : withinTheSandbox);
}

const withinTheSandbox = 'Run it within the sandbox, or tell the user what is needed.';
const findAnotherWay = 'Find another way, or tell the user what is needed.';
type Wanted = Exclude<ReturnType<typeof wanted>, { readonly kind: 'refuse' }>;
type AskedCommand = Wanted & { readonly needs: CallNeeds; readonly notOffered: NotOfferedAnswers | undefined };

function reasonOf(context: DecisionContext, judged: CommandJudgement, asked: AskedCommand): string {
  const { where, beyond, lacking, needs, notOffered } = asked;
  const { policy } = context;
  const inside = `${describeInsideRun(policy)}${beyond ? ', with more' : ''}`;
  const place = where === 'outside' ? describeOutsideRun(policy) : inside;
  const opened = beyond && lacking?.network === true ? describeOpenedNetwork(policy.lists) : undefined;
  const danger = dangerOutside(context, needs, where) ?? describeTyping(needs);
  const why = whyAsked(judged) ?? (context.approval === 'untrusted' && !beyond ? untrusted : undefined);
  const once = notOffered && describeNotOffered(notOffered, { isSaid: danger !== undefined });
  return [why, `It would run ${place}.`, opened, danger, once].filter((part) => part !== undefined).join(' ');
}

function whyAsked(judged: CommandJudgement): string | undefined {
  const prompting = longestMatch(judged, 'prompt');
  if (prompting !== undefined) return endWithFullStop(capital(ruleWords('asks before', prompting)));
  return judged.danger === undefined ? undefined : `${capital(dangerWords(judged.danger))}.`;
}

const untrusted =
  'The approval policy is untrusted: only commands that are known to change nothing run without a question.';

function ruleWords(does: 'forbids' | 'asks before', { prefix, justification }: RuleMatch): string {
  const rule = `a rule ${does} commands that begin with ${quoted(prefix)}`;
  return justification === undefined ? rule : `${rule}: ${justification.trim()}`;
}

function dangerWords({ kind, words }: NonNullable<CommandJudgement['danger']>): string {
  const what = quoted(words);
  return kind === 'forced-removal' ? `${what} removes files by force` : `${what} destroys what may not come back`;
}

const dangerAdvice = {
  'forced-removal': 'Remove what you mean by name and without -f, or tell the user what to remove.',
  destructive: 'Find a way that can be taken back, or tell the user what to run.',
} as const;

function quoted(words: readonly string[]): string {
  const text = words.join(' ');
  return `\`${text.length > 80 ? `${text.slice(0, 79)}…` : text}\``;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Further effects of leaving the sandbox, which no rule or session answer covers: a question must name them. */
function dangerOutsideSandbox(context: DecisionContext, needs: CallNeeds): string | undefined {
  const all = [describeTyping(needs), describeGitDanger(context), describeEvaluation(context)];
  const found = all.filter((words) => words !== undefined);
  return found.length === 0 ? undefined : found.join(' ');
}

/** Names the builtin. Undefined: none evaluates its words. */
function describeEvaluation({ analysis }: Pick<DecisionContext, 'analysis'>): string | undefined {
  const name = analysis?.evaluating;
  return name && `The shell may run what stands in the words of \`${name}\`, or in the file that they name.`;
}

/** For every question about such a call. Undefined: its input is closed. */
export const describeTyping = ({ typed }: Pick<CallNeeds, 'typed'>): string | undefined =>
  typed === true ? 'The model will be able to type into it while it runs.' : undefined;

/** Decides if a command that the sandbox denied files may run again outside. Undefined: it fails without a question. */
export function decideRetry(
  context: DecisionContext,
  needs: CallNeeds,
  blocked: BlockedFiles,
): CallDecision | undefined {
  const { policy, grants } = context;
  const { argv, cwd = '/' } = needs;
  if (needs.effect !== 'program' || argv === undefined || !needsSandbox(policy)) return undefined;
  const paths = blocked.filter(({ path }) => !isDenied(policy, path));
  if (paths.length === 0 || !canAskAbout(context, 'sandbox')) return undefined;
  const judged = judgeCommands(context, needs, { escalates: true });
  if (judged.decision === 'forbidden') return undefined;
  const besides = dangerOutsideSandbox(context, needs);
  // Other calls of the step may still be running and change the files that git reads.
  const isByUser = besides !== undefined || startsGit(context.analysis);
  const noSession = reasonNoSessionAnswer(context, judged, { typed: needs.typed === true, isByUser, leaves: true });
  const isOnce = judged.danger !== undefined || besides !== undefined;
  const grantKeys = isByUser || noSession !== undefined ? [] : lastingKeys(context, needs, 'outside', undefined);
  if (grantsCoverAll(grants, grantKeys)) return { kind: 'run', where: 'outside' };
  const offered = isOnce && judged.danger === undefined ? undefined : offeredRule(context, judged, needs);
  const prefix = offered?.prefix;
  const rule = offered === undefined ? noSession : offered.why;
  const notOffered = rule || noSession ? defined({ rule, session: noSession }) : undefined;
  const once = notOffered && describeNotOffered(notOffered, { isSaid: besides !== undefined });
  const reasons = [`It would run again ${describeOutsideRun(policy)}.`, besides, once];
  return {
    kind: 'ask',
    question: {
      kind: 'retry',
      reason: reasons.filter((part) => part !== undefined).join(' '),
      ...defined({ justification: needs.escalation?.reason, prefix, confined: ruleKeepsSandbox(policy, prefix) }),
      ...defined({ commands: context.analysis?.commands, seen: context.analysis?.seen, typed: needs.typed }),
      argv,
      cwd,
      paths,
      scopes: isOnce ? ['call'] : scopesOf(grantKeys, prefix),
    },
    where: 'outside',
    byUser: besides === undefined ? undefined : true,
    notOffered,
    grantKeys,
  };
}
