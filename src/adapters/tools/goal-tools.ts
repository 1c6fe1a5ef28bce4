import {
  onlyUserRaisesBudget,
  goalAnswer,
  goalExistsText,
  noGoalText,
} from '../../core/fragments/answers/agents-and-goals.ts';
import type { ThreadGoal } from '../../ports/threads.ts';
import type { ToolSpec } from '../../ports/model.ts';
import { defined } from '../../base/objects.ts';
import type { Goal } from '../../protocol/thread.ts';
import { type JsonObject, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { longestObjective } from '../../core/state/fold/goals.ts';
import { functionSpec, type FunctionTool, functionTool } from './function-tool.ts';
import type { Tool } from './tool.ts';

const changes = ['complete', 'blocked', 'paused', 'active'] as const;
const getDoes = 'Gives the goal of this thread, its status, and the tokens that are left for it.';
const getSpec = functionSpec('get_goal', getDoes);

const createSpec = functionSpec(
  'create_goal',
  'Sets a goal for this thread, which then continues by itself until the goal is reached. Call it only if the user asks for a goal, never because a task is long. It fails while another goal is not complete.',
  {
    objective: { type: 'string', description: `What is to be reached, in at most ${longestObjective} characters.` },
    token_budget: { type: 'integer', description: 'Tokens for it, above zero. Only if the user names a number.' },
  },
  ['objective'],
);

const updateSpec = functionSpec(
  'update_goal',
  'Changes the status of the goal. "complete": only after you have checked that every part of it is reached. "blocked": you cannot continue without the user. "paused" and "active": only if the user asks to pause or to resume. A goal without tokens that the user resumes gets as many again.',
  {
    status: { type: 'string', enum: changes },
    token_budget: {
      type: 'integer',
      description: 'With "active": tokens for it from now on, above zero. Only if the user names a number.',
    },
  },
  ['status'],
);

/** `mostTokens`: the largest budget, and the default one. */
export function goalTools({ mostTokens }: { readonly mostTokens?: number }): readonly Tool[] {
  return [
    goalTool(getSpec, { read: () => ({}), answer: (goal) => goal.current }),
    goalTool(createSpec, {
      read: (given) => readWanted(given, mostTokens),
      answer(goal, wanted) {
        const before = goal.current;
        if (before !== undefined && before.status !== 'complete') return goalExistsText;
        return goal.create(wanted);
      },
    }),
    goalTool(updateSpec, {
      read(given) {
        const status = changes.find((each) => each === given['status']);
        if (status === undefined) return `\`status\` must be one of ${changes.join(', ')}.`;
        const tokens = readBudget(given);
        if (typeof tokens === 'string') return tokens;
        if (tokens !== undefined && status !== 'active') return '`token_budget` needs the status "active".';
        return { status, ...defined({ tokens }) };
      },
      answer(goal, { status, tokens }) {
        const { current } = goal;
        if (current === undefined) return noGoalText;
        const more = status === 'active' ? moreTokens(current, tokens, mostTokens) : undefined;
        // A budget that the model could raise itself would not be a limit.
        if (more !== undefined && goal.isAlone) return onlyUserRaisesBudget;
        return goal.change(status, defined({ more })) ?? noGoalText;
      },
    }),
  ];
}

function readWanted(given: JsonObject, mostTokens: number | undefined) {
  const objective = stringAt(given, 'objective')?.trim() ?? '';
  if (objective === '' || objective.length > longestObjective)
    return `\`objective\` must be a text of 1 to ${longestObjective} characters.`;
  const budget = readBudget(given);
  if (typeof budget === 'string') return budget;
  const tokenBudget = budget === undefined ? mostTokens : Math.min(budget, mostTokens ?? budget);
  return { objective, ...defined({ tokenBudget }) };
}

function readBudget(given: JsonObject): number | string | undefined {
  const budget = given['token_budget'] ?? undefined;
  const isRight = budget === undefined || (typeof budget === 'number' && Number.isSafeInteger(budget) && budget > 0);
  return isRight ? budget : '`token_budget` must be an integer above zero.';
}

/** More tokens for a resumed goal: those requested, or a new share if all are spent. Undefined: none are needed. */
function moreTokens(goal: Goal, wanted: number | undefined, most = Infinity): number | undefined {
  const { tokenBudget, tokensUsed, share = tokenBudget } = goal;
  const isSpent = tokenBudget !== undefined && tokensUsed >= tokenBudget;
  const more = wanted ?? (isSpent ? share : undefined);
  return more === undefined ? undefined : Math.min(more, most);
}

/** From `answer`, a string says why it cannot be done. */
type GoalWork<Wanted> = Pick<FunctionTool<Wanted>, 'read'> & {
  answer(goal: ThreadGoal, wanted: Wanted): Goal | string | undefined;
};

function goalTool<Wanted>(spec: ToolSpec, { read, answer }: GoalWork<Wanted>): Tool {
  return functionTool({
    spec,
    offeredIn: ({ features }) => features.includes('goals'),
    alone: true,
    parse: (input) => parseJsonObject(input === '' ? '{}' : input),
    malformed: 'the arguments are not a JSON object.',
    read,
    run(wanted, { goal }, { step }) {
      const done = goal === undefined ? noGoalText : answer(goal, wanted);
      if (typeof done === 'string') return { output: `Not done: ${done}`, ok: false };
      return goalAnswer(step.envelope.telemetry.threadId, done);
    },
  });
}
