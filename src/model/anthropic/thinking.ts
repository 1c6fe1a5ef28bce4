import type { RequestOptions } from '../../ports/prompt.ts';
import { defined } from '../../protocol/defined.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** How a model is asked to think: not at all, with so many tokens, or as it sees fit. */
type ThinkingForm = 'none' | 'budget' | 'adaptive';

/**
 * By the beginning of their names, the narrower first. Claude models up to 4.5 take a number of tokens, later ones
 * refuse it; models of other makers behind this format know the number.
 */
const forms: readonly (readonly [pattern: RegExp, form: ThinkingForm])[] = [
  [/^claude-3-7/, 'budget'],
  [/^claude-(?:2|3|instant)/, 'none'],
  [/^claude-(?:[a-z]+-)?4(?:-[0135])?(?:$|-\d{8}|-latest|-v\d|-[a-z]+$|@)/, 'budget'],
  [/^claude-/, 'adaptive'],
];

function thinkingForm(model: string): ThinkingForm {
  const name = plainName(model);
  return forms.find(([pattern]) => pattern.test(name))?.[1] ?? 'budget';
}

/** Gateways put a maker before the name, and write the version with a point. */
function plainName(model: string): string {
  const name = model.toLowerCase().replaceAll('.', '-');
  return name.slice(Math.max(0, name.indexOf('claude-')));
}

/** For models that want a number. */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 10_000,
  high: 20_000,
  xhigh: 32_000,
  max: 60_000,
};
const leastBudget = 1024;
/** What the answer itself keeps of the tokens. */
const answerTokens = 4096;

const efforts: Readonly<Record<string, string>> = { minimal: 'low' };
const noThinking: ReadonlySet<string> = new Set(['none', 'disabled']);

export interface ThinkingFields {
  readonly thinking?: JsonObject;
  /** Of `output_config`. */
  readonly effort?: string;
}

/** What the request says beside its options. */
interface AboutThinking {
  readonly maxTokens: number;
  /** The model goes on from calls without thinking, which one that has a number of tokens refuses. */
  readonly isUnthought: boolean;
  /**
   * Where the wanted number does not fit: `level`, the next lower one of the table, so that a limit that shortens each
   * answer does not change the number with each request; `rest`, what the answer leaves.
   */
  readonly budget: 'level' | 'rest';
}

export function thinkingFields(
  { model, effort, summary }: Pick<RequestOptions, 'model' | 'effort' | 'summary'>,
  { maxTokens, isUnthought, budget: way }: AboutThinking,
): ThinkingFields {
  const form = thinkingForm(model);
  if (effort === undefined || form === 'none' || noThinking.has(effort)) return {};
  if (form === 'adaptive') {
    const display = summary === undefined ? undefined : 'summarized';
    return { thinking: { type: 'adaptive', ...defined({ display }) }, effort: efforts[effort] ?? effort };
  }
  const wanted = Object.hasOwn(budgets, effort) ? budgets[effort]! : budgets['medium']!;
  const most = Math.min(wanted, maxTokens - answerTokens);
  const budget = way === 'rest' ? most : Math.max(0, ...Object.values(budgets).filter((level) => level <= most));
  if (isUnthought || budget < leastBudget) return {};
  return { thinking: { type: 'enabled', budget_tokens: budget } };
}

/** Whether the model holds its answer to a schema by itself: Claude models do from 4.5 on. */
export function takesSchema(model: string): boolean {
  return thinkingForm(model) === 'adaptive' || /^claude-(?:[a-z]+-)?4-5/.test(plainName(model));
}
