import { numberAt, objectAt, parseJsonObject } from '../../protocol/json.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import { readGoal } from '../../state/goals.ts';
import { goalCost, goalStanding } from '../wording/goal-standing.ts';
import { count } from '../wording/number-words.ts';

const tools: ReadonlySet<string> = new Set(['get_goal', 'create_goal', 'update_goal']);

/** What the user is shown of the answer of a tool for goals, in place of its JSON. Undefined: what it is. */
export function goalChange({ tool, output = '', server, arguments: given }: ToolCallItem): string | undefined {
  const answer = server === undefined && tools.has(tool) ? parseJsonObject(output) : undefined;
  if (answer === undefined) return undefined;
  const goal = readGoal(answer);
  if (goal === undefined) return objectAt(answer, 'goal') === undefined ? 'no goal' : undefined;
  const { status, objective, tokenBudget } = goal;
  const wanted = numberAt(given, 'token_budget');
  const isCut = tool === 'create_goal' && wanted !== undefined && tokenBudget !== undefined && tokenBudget < wanted;
  return [
    `${goalStanding(status)}: ${objective}`,
    ...(tokenBudget === undefined && tool === 'create_goal' ? [] : [goalCost(goal)]),
    ...(isCut ? [`${count(wanted)} tokens were asked for; goals.max_goal_token_budget allows no more.`] : []),
  ].join('\n');
}
