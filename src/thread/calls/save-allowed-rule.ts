import { hostKey, mcpToolKey } from '../../policy/grants.ts';
import { isSavable } from '../../policy/savable-prefixes.ts';
import type { RuleBook, RuleToSave } from '../../ports/rule-book.ts';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import { shellWords } from '../../protocol/shell-words.ts';
import type { ThreadLog } from '../parts/log.ts';
import type { SavedRules } from '../parts/parts.ts';

interface RuleSaver {
  readonly parts: { readonly ruleBook?: RuleBook };
  readonly log: Pick<ThreadLog, 'tell'>;
  readonly savedRules: SavedRules;
}

/**
 * Saves the rule that an answer allows. It counts for the next call already. The call runs all the same if it cannot be
 * saved: the user has allowed it.
 */
export async function saveAllowedRule(
  { parts, log, savedRules }: RuleSaver,
  question: Question,
  { scope, prefix }: Answer,
): Promise<void> {
  if (scope === 'rule' && prefix !== undefined && !isSavable(question, prefix)) {
    log.tell({ kind: 'warning', outcome: notOffered(prefix) });
    return;
  }
  const rule = scope === 'rule' ? ruleOf({ ...question, ...defined({ prefix }) }) : undefined;
  if (rule === undefined || parts.ruleBook === undefined) return;
  const problem = await parts.ruleBook.save(rule);
  if (problem !== undefined) log.tell({ kind: 'warning', outcome: problem });
  else if (rule.kind === 'mcp') savedRules.tools.push({ key: mcpToolKey(rule) });
  else if (rule.kind === 'host') savedRules.hosts.push({ key: hostKey(rule.host) });
  else savedRules.prefixes.push({ pattern: rule.prefix, decision: 'allow', source: 'an answer' });
}

function ruleOf({ host, mcp, prefix }: Question): RuleToSave | undefined {
  if (mcp !== undefined) return { kind: 'mcp', ...mcp };
  if (host !== undefined) return { kind: 'host', host };
  return prefix && { kind: 'prefix', prefix };
}

function notOffered(prefix: readonly string[]): Outcome<'rule-not-offered'> {
  return {
    code: 'rule-not-offered',
    message: `The rule for ${JSON.stringify(shellWords(prefix))} was not saved: it is no beginning of the command that was asked about, or would allow any command.`,
    next: 'The command runs this time. Add the rule to rules/default.rules yourself if you want it.',
  };
}
