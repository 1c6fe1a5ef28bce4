import { matchRules, type RuleMatching, strictestDecision } from '../../../core/policy/rules/match-rules.ts';
import type { RuleSet } from '../../../core/policy/rules/rule-set.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { wrongUsage } from '../../views/command-line/run-command.ts';
import { execpolicyCheckCommand } from '../table/settings-commands.ts';
import { loadRulesFiles } from '../../../engine/home/command-rules.ts';
import { currentFolder } from '../../views/terminal/process.ts';
import { print } from '../../views/terminal/print.ts';

export function run({ options, words }: CommandArguments<typeof execpolicyCheckCommand>): number | Outcome {
  const { rules: paths, pretty, resolveHostExecutables: resolveExecutables } = options;
  if (paths.length === 0) {
    const message = 'no file with rules is named; it does not read installed rules.';
    const next = 'Name one with -r FILE. See `capstan execpolicy check --help`.';
    return wrongUsage(execpolicyCheckCommand, message, next);
  }
  const here = currentFolder();
  if ('code' in here) return here;
  const rules = loadRulesFiles(paths);
  if ('code' in rules) return rules;
  const answer = execpolicyAnswer(rules, words, { resolveExecutables, cwd: here.path });
  print(`${JSON.stringify(answer, undefined, pretty ? 2 : undefined)}\n`, 'exact json');
  return 0;
}

/** The answer in Codex's form, which includes the order of the keys. */
export function execpolicyAnswer(rules: RuleSet, command: readonly string[], matching: RuleMatching): object {
  const found = matchRules(rules, command, matching);
  const matchedRules = found.map(({ prefix, decision, resolvedProgram, justification }) => ({
    prefixRuleMatch: { matchedPrefix: prefix, decision, resolvedProgram, justification },
  }));
  return { matchedRules, decision: strictestDecision(found.map(({ decision }) => decision)) };
}
