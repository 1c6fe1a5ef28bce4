import type { RuleBook, RuleToSave } from '../../ports/rule-book.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import type { ThreadLog } from '../parts/log.ts';

interface RuleSaver {
  readonly parts: { readonly ruleBook?: RuleBook };
  readonly log: Pick<ThreadLog, 'tell'>;
}

/** Saves the rule that an answer allows. The call runs all the same if it cannot be saved: the user has allowed it. */
export async function saveAllowedRule({ parts, log }: RuleSaver, question: Question, { scope }: Answer): Promise<void> {
  const rule = scope === 'rule' ? ruleOf(question) : undefined;
  const problem = rule && (await parts.ruleBook?.save(rule));
  if (problem !== undefined) log.tell({ kind: 'warning', outcome: problem });
}

function ruleOf({ host, prefix }: Question): RuleToSave | undefined {
  if (host !== undefined) return { kind: 'host', host };
  return prefix && { kind: 'prefix', prefix };
}
