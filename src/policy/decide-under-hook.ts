import { defined } from '../protocol/defined.ts';
import type { CallNeeds } from './approval.ts';
import type { AskDecision, CallDecision, RefuseDecision, RunDecision } from './call-decision.ts';
import { typingWords } from './leaving-danger.ts';
import { notOfferedWords } from './offered-answers.ts';
import { matchRules } from './rules/match-rules.ts';
import { noRules, type PrefixRule } from './rules/rule-set.ts';

export interface UnderHook {
  readonly hook: 'allow' | 'ask';
  /** What is decided without the hook. */
  readonly decided: CallDecision;
  /** The same if the user could be asked. */
  readonly asked: CallDecision;
  readonly canAsk: boolean;
  /** A rule of the administrator is about the call. */
  readonly isManaged: boolean;
  /** Only the user lets out what would change something. */
  readonly changesNothing: boolean;
}

/**
 * What a hook's word changes: its yes answers the question that the user would be asked, and its `ask` makes a question
 * of what would run. It never lifts what is forbidden, lets nothing out of a turn that changes nothing, and never answers
 * for a rule of the administrator or where the user wants a question for each such call.
 */
export function decideUnderHook(
  { hook, decided, asked, canAsk, isManaged, changesNothing }: UnderHook,
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
    reason: ['A hook wants you to decide.', typingWords(defined({ typed })) ?? [], notOfferedWords(notOffered) ?? []]
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

/** Whether a rule of the administrator is about one of these commands. What cannot be looked into may be one of them. */
export function isHeldByRules(
  rules: readonly PrefixRule[] | undefined,
  commands: readonly (readonly string[])[] | undefined,
): boolean {
  if (rules === undefined || rules.length === 0) return false;
  const all = { ...noRules, prefixes: rules };
  return commands?.some((words) => matchRules(all, words, { resolveExecutables: true }).length > 0) ?? true;
}
