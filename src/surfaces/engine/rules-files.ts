import { loadRulesFile } from '../../gather/rules/load-rules.ts';
import { joinRules, noRules, type RuleSet } from '../../policy/rules/rule-set.ts';
import type { Outcome } from '../../protocol/outcome.ts';

/** The rules of files that the user names. All of them count, or the first fault is the answer. */
export function loadRulesFiles(paths: readonly string[]): RuleSet | Outcome {
  let rules = noRules;
  for (const path of paths) {
    const found = loadRulesFile(path, rules);
    if ('code' in found) return found;
    rules = joinRules([rules, found]);
  }
  return rules;
}
