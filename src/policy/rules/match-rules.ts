import type { RuleDecision, RuleSet } from './rule-set.ts';

export interface RuleMatch {
  readonly prefix: readonly string[];
  readonly decision: RuleDecision;
  readonly justification?: string;
  readonly resolvedProgram?: string;
}

export function matchRules(
  { prefixes }: RuleSet,
  argv: readonly string[],
  _options: { readonly resolveExecutables: boolean },
): readonly RuleMatch[] {
  return prefixes
    .filter(({ pattern }) =>
      pattern.every((slot, i) => (typeof slot === 'string' ? slot === argv[i] : slot.includes(argv[i] ?? ''))),
    )
    .map(({ pattern, decision, justification }) => ({
      prefix: argv.slice(0, pattern.length),
      decision,
      ...(justification === undefined ? {} : { justification }),
    }));
}

export function strictest(decisions: readonly RuleDecision[]): RuleDecision | undefined {
  return (['forbidden', 'prompt', 'allow'] as const).find((decision) => decisions.includes(decision));
}
