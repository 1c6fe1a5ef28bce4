import { defined } from '../protocol/defined.ts';
import type { ExtraPermissions } from '../protocol/extra-permissions.ts';
import { sentence } from '../protocol/outcome.ts';
import { needsSandbox } from './access.ts';
import type { CallNeeds } from './approval.ts';
import type { AskedAbout } from './approval-policy.ts';
import {
  type CallDecision,
  canAskAbout,
  deniedForGood,
  type DecisionContext,
  missingToWrite,
  type NotOffered,
  whyNotAsked,
} from './call-decision.ts';
import {
  grantedPolicy,
  isNoPermission,
  joinPermissions,
  missingPermissions,
  neverGranted,
  standingPermissions,
} from './granted-policy.ts';
import { commandKey, coversAll } from './grants.ts';
import { type Judged, judgeCommands, longestOf } from './judge-commands.ts';
import { withKeptBesideGit } from './kept-places.ts';
import { evaluationWords, leavingDanger, typingWords } from './leaving-danger.ts';
import { openedNetwork } from './opened-network.ts';
import { notOfferedWords, offeredRule, whyNoSession } from './offered-answers.ts';
import type { RuleMatch } from './rules/match-rules.ts';
import { insideWords, outsideWords, ruleConfines } from './where-words.ts';

/** By its rules first, then by what it is known to do, then by what it asks for. */
export function decideCommand(context: DecisionContext, needs: CallNeeds): CallDecision {
  const asks = wanted(context, needs);
  if ('kind' in asks) return asks;
  const { where, extra } = asks;
  const judged = judgeCommands(context, needs, { escalates: asks.beyond });
  const forbidden = longestOf(judged, 'forbidden');
  if (forbidden !== undefined) {
    const why = sentence(ruleWords('forbids', forbidden));
    return { kind: 'refuse', why, next: 'Find another way, or tell the user what is needed.' };
  }
  if (judged.decision === 'allow') {
    return { kind: 'run', where: judged.allowedByRules ? 'outside' : 'sandbox', ...defined({ extra }) };
  }
  const about: AskedAbout = judged.byRule ? 'rules' : 'sandbox';
  if (!canAskAbout(context, about)) return refused(context, needs, judged, about);
  const { argv, cwd, escalation, paths, typed } = needs;
  // Outside there is nothing more to permit.
  const permitted = where === 'outside' ? undefined : asks.lacking;
  // What would run besides may be another program the next time.
  const danger = dangerOutside(context, needs, where);
  const byUser = danger !== undefined || undefined;
  const leaves = where === 'outside' || !needsSandbox(context.policy);
  const session = whyNoSession(context, judged, { typed: typed === true, isByUser: byUser === true, leaves });
  const isOnce = byUser === true || session !== undefined;
  const grantKeys = isOnce ? [] : lastingKeys(context, needs, { where, permitted });
  if (coversAll(context.grants, grantKeys)) return { kind: 'run', where, ...defined({ extra }) };
  const offered =
    permitted === undefined ? offeredRule(context, judged, needs) : { why: { kind: 'permissions' } as const };
  const prefix = 'prefix' in offered ? offered.prefix : undefined;
  const notOffered = nonEmptyOrNone(defined({ rule: 'why' in offered ? offered.why : undefined, session }));
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
        confined: ruleConfines(context.policy, prefix),
        argv,
        cwd,
        typed,
        commands: context.analysis?.commands,
        seen: context.analysis?.seen,
      }),
      scopes: [
        'call',
        ...(grantKeys.length === 0 ? [] : ['session' as const]),
        ...(prefix === undefined ? [] : ['rule' as const]),
      ],
    },
    where,
    ...defined({ extra, byUser, notOffered }),
    grantKeys,
  };
}

/** What a yes would also let happen outside the sandbox, or where there is none. */
function dangerOutside(context: DecisionContext, needs: CallNeeds, where: Wanted['where']): string | undefined {
  if (where === 'outside') return leavingDanger(context, needs);
  return needsSandbox(context.policy) ? undefined : evaluationWords(context);
}

/** What an answer for the session keeps. None for what destroys, and for what has no words to know it by. */
function lastingKeys(
  { canonical }: DecisionContext,
  { argv, cwd = '/', typed }: CallNeeds,
  { where, permitted }: { readonly where: 'sandbox' | 'outside'; readonly permitted: ExtraPermissions | undefined },
): readonly string[] {
  if (argv === undefined) return [];
  const command = canonical ?? JSON.stringify(argv);
  return [commandKey({ command, cwd, where, ...defined({ extra: permitted, typed }) })];
}

/** Where the call wants to run, and with what; or why it cannot have that whatever it is. */
function wanted(context: DecisionContext, { escalation, missing, kept }: CallNeeds) {
  const { policy, grants } = context;
  const standing = standingPermissions(policy, grants);
  const usual = { where: 'sandbox', beyond: false, lacking: undefined, ...nonEmpty(standing) } as const;
  // Without a sandbox there is nothing to get out of.
  if (escalation === undefined || !needsSandbox(policy)) return usual;
  const lacking =
    escalation.permissions &&
    missingPermissions(
      withKeptBesideGit(grantedPolicy(policy, { where: 'sandbox', extra: standing }), kept),
      escalation.permissions,
    );
  if (lacking !== undefined && isNoPermission(lacking)) return usual;
  const denied = neverGranted(policy, lacking ?? {});
  if (denied !== undefined) return deniedForGood(denied);
  if (!canAskAbout(context, 'sandbox')) {
    const next = 'Run it within the sandbox, or tell the user what is needed.';
    return { kind: 'refuse', why: whyNotAsked(context, 'sandbox'), next } as const;
  }
  const absent = lacking && missingToWrite(lacking, missing);
  if (absent !== undefined) return absent;
  if (lacking === undefined) return { where: 'outside', beyond: true, lacking, extra: undefined } as const;
  return { where: 'sandbox', beyond: true, lacking, extra: joinPermissions(standing, lacking) } as const;
}

function nonEmptyOrNone(notOffered: NotOffered): NotOffered | undefined {
  return Object.keys(notOffered).length === 0 ? undefined : notOffered;
}

function nonEmpty(extra: ReturnType<typeof missingPermissions>) {
  return { extra: isNoPermission(extra) ? undefined : extra };
}

function refused(context: DecisionContext, needs: CallNeeds, judged: Judged, about: AskedAbout): CallDecision {
  const { danger } = judged;
  const why = whyNotAsked(context, danger !== undefined && !judged.byRule ? 'danger' : about);
  if (danger !== undefined && !judged.byRule) {
    return { kind: 'refuse', why: `${dangerWords(danger)}; ${why}`, next: dangerAdvice[danger.kind] };
  }
  const prompting = longestOf(judged, 'prompt');
  if (prompting !== undefined) {
    const held = ruleWords('asks before', prompting);
    const next = 'Find another way, or tell the user what is needed.';
    return { kind: 'refuse', why: `${withoutStop(held)}; ${why}`, next };
  }
  const within = needs.escalation === undefined ? 'Tell the user what is needed.' : withinTheSandbox;
  return { kind: 'refuse', why, next: within };
}

const withinTheSandbox = 'Run it within the sandbox, or tell the user what is needed.';

type Wanted = Exclude<ReturnType<typeof wanted>, { readonly kind: 'refuse' }>;

/** Why the question is asked, and where a yes lets it run. */
function reasonOf(
  context: DecisionContext,
  judged: Judged,
  asked: Wanted & { readonly needs: CallNeeds; readonly notOffered: NotOffered | undefined },
): string {
  const { where, beyond, lacking, needs, notOffered } = asked;
  const { policy } = context;
  const place =
    where === 'outside' ? outsideWords(policy) : beyond ? `${insideWords(policy)}, with more` : insideWords(policy);
  const opened = beyond && lacking?.network === true ? openedNetwork(policy.lists) : undefined;
  const danger = dangerOutside(context, needs, where) ?? typingWords(needs);
  const why = whyAsked(judged) ?? (context.approval === 'untrusted' && !beyond ? untrusted : undefined);
  const once = notOffered && notOfferedWords(notOffered, { isSaid: danger !== undefined });
  return [why, `It would run ${place}.`, opened, danger, once].filter((part) => part !== undefined).join(' ');
}

function whyAsked(judged: Judged): string | undefined {
  const prompting = longestOf(judged, 'prompt');
  if (prompting !== undefined) return sentence(capital(ruleWords('asks before', prompting)));
  return judged.danger === undefined ? undefined : `${capital(dangerWords(judged.danger))}.`;
}

const untrusted =
  'The approval policy is untrusted: only commands that are known to change nothing run without a question.';

/** Which rule has a say, and why in the words of its author. */
function ruleWords(does: 'forbids' | 'asks before', { prefix, justification }: RuleMatch): string {
  const rule = `a rule ${does} commands that begin with ${quoted(prefix)}`;
  return justification === undefined ? rule : `${rule}: ${justification.trim()}`;
}

function dangerWords({ kind, words }: NonNullable<Judged['danger']>): string {
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

function withoutStop(text: string): string {
  return text.trim().replace(/\.+$/, '');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
