import { revokeRule, userRulesPath } from '../../adapters/gather/config/edit-rules-file.ts';
import { loadRulesFile } from '../../adapters/gather/config/load-rules.ts';
import { rulesInFolder } from '../../adapters/gather/config/rules-in-folder.ts';
import { joinRules, noRules } from '../../core/policy/rules/rule-set.ts';
import type { HostRule, PrefixRule, RuleDecision, RuleSet } from '../../core/policy/rules/rule-set.ts';
import { hostRuleLine, prefixRuleLine } from '../../core/policy/rules/rules-file.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';

export interface ListedRule {
  readonly about:
    | { readonly kind: 'command'; readonly pattern: PrefixRule['pattern'] }
    | { readonly kind: 'host'; readonly host: string; readonly protocol: HostRule['protocol'] };
  readonly decision: RuleDecision;
  /** file:line */
  readonly source: string;
  /** The saved line, by which it can be revoked. Absent: it was written by hand or is elsewhere. */
  readonly savedAs?: string;
}

export type HomeRules = ReturnType<typeof homeRules>;
export const homeRules = (parts: EngineParts) => ({
  /** Lists the rules for a thread in a folder, in the order in which they are read. */
  async list(cwd: string): Promise<readonly ListedRule[]> {
    const { base, options } = parts;
    const { rules } = await rulesInFolder(base, cwd, options);
    if (rules === undefined) return [];
    const own = `${userRulesPath(base.home)}:`;
    const saved = (source: string, line: string | undefined) =>
      line !== undefined && source.startsWith(own) ? { savedAs: line } : {};
    return [
      ...rules.prefixes.map(({ pattern, decision, source, justification }): ListedRule => {
        const words = pattern.every((slot) => typeof slot === 'string') ? pattern : undefined;
        const isSaved = decision === 'allow' && words !== undefined && justification === undefined;
        const about = { kind: 'command', pattern } as const;
        return { about, decision, source, ...saved(source, isSaved ? prefixRuleLine(words) : undefined) };
      }),
      ...rules.hosts.map(({ host, protocol, decision, source }): ListedRule => {
        const line = decision === 'allow' ? hostRuleLine(host, protocol) : undefined;
        return { about: { kind: 'host', host, protocol }, decision, source, ...saved(source, line) };
      }),
    ];
  },

  /** Revokes a rule that an answer saved, for threads loaded from now on. Returns why it could not. */
  revoke({ savedAs, source }: ListedRule): Promise<Outcome | undefined> {
    return savedAs === undefined ? Promise.resolve(byHand(source)) : revokeRule(savedAs, parts);
  },
});

function byHand(source: string): Outcome<'rule-by-hand'> {
  const message = `No answer saved this rule: it was written into ${source}.`;
  return { code: 'rule-by-hand', message, next: 'Remove it there.' };
}

/** Loads the rules files that the user names: all of them, or the first fault. */
export function loadRulesFiles(paths: readonly string[]): RuleSet | Outcome {
  let rules = noRules;
  for (const path of paths) {
    const found = loadRulesFile(path, rules);
    if ('code' in found) return found;
    rules = joinRules([rules, found]);
  }
  return rules;
}
