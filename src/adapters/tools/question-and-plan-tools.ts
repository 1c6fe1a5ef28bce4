import { planUpdatedText } from '../../core/fragments/answers/tool-calls.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { answersByQuestion, readUserQuestions } from '../../protocol/question.ts';
import type { PlanItem, PlanStep } from '../../protocol/turn-item.ts';
import { functionSpec, functionTool, argumentsRefusal } from './function-tool.ts';
import type { Tool } from './tool.ts';

const statuses = ['pending', 'in_progress', 'completed'];

const step = {
  type: 'object',
  properties: { step: { type: 'string' }, status: { type: 'string', enum: statuses } },
  required: ['step', 'status'],
  additionalProperties: false,
};

const spec = functionSpec(
  'update_plan',
  'Shows the user the steps of the work and how far it is. Give the whole plan each time. At most one step should be in progress.',
  {
    explanation: { type: 'string', description: 'Why the plan changed, if it did.' },
    plan: { type: 'array', items: step },
  },
  ['plan'],
);

/** Affects only screens: the plan is shown there, updated in place, until the turn ends. */
export function updatePlanTool(): Tool {
  return {
    name: 'update_plan',
    // In plan mode the model carries out no steps, so there is no progress to show.
    offeredIn: ({ mode }) => mode !== 'plan',
    spec,
    prepare(call, step) {
      const plan = readPlan(parseJsonObject(call.input));
      if (typeof plan === 'string') return argumentsRefusal(plan);
      const item: PlanItem = { kind: 'plan', id: `plan_${step.envelope.telemetry.turnId}`, steps: plan };
      return {
        kind: 'prepared',
        item,
        needs: {},
        idempotent: true,
        standing: true,
        run: () => Promise.resolve({ output: planUpdatedText, item }),
      };
    },
  };
}

function readPlan(given: JsonObject | undefined): readonly PlanStep[] | string {
  const plan = arrayAt(given, 'plan');
  if (plan === undefined) return '`plan` must be a list of steps.';
  const steps = plan.flatMap((step) => readStep(step) ?? []);
  if (steps.length === plan.length) return steps;
  return `each step needs a \`step\` text and a \`status\` out of ${statuses.join(', ')}.`;
}

function readStep(value: Json): PlanStep | undefined {
  if (!isJsonObject(value)) return undefined;
  const [text, status] = [stringAt(value, 'step'), stringAt(value, 'status')];
  if (text === undefined || status === undefined || !statuses.includes(status)) return undefined;
  return { text, status: status === 'in_progress' ? 'in-progress' : (status as 'pending' | 'completed') };
}

const option = {
  type: 'object',
  properties: {
    label: { type: 'string', description: 'What the user picks, in 1 to 5 words.' },
    description: { type: 'string', description: 'What follows from it, in one short sentence.' },
  },
  required: ['label', 'description'],
  additionalProperties: false,
};

const question = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'A name in snake_case. The answer comes under it.' },
    header: { type: 'string', description: 'A label of at most 12 characters.' },
    question: { type: 'string', description: 'One sentence.' },
    options: {
      type: 'array',
      description:
        '2 or 3 that exclude each other, the recommended one first. Give no "other": the user always has it.',
      items: option,
    },
  },
  required: ['id', 'header', 'question', 'options'],
  additionalProperties: false,
};

/** Has no effect of its own: the call is its question, and the user's answer is its output. */
export function requestUserInputTool(): Tool {
  return functionTool({
    spec: functionSpec(
      'request_user_input',
      'Asks the user 1 to 3 short questions and waits for the answers. Use it where the work depends on a choice that is theirs. The user may also answer in their own words.',
      { questions: { type: 'array', items: question } },
      ['questions'],
    ),
    offeredIn: ({ mode, features, hasUser }) =>
      hasUser && (mode === 'plan' || features.includes('default_mode_request_user_input')),
    idempotent: true,
    parse: (input) => parseJsonObject(input) ?? {},
    read: readUserQuestions,
    needs: (questions) => ({ input: questions }),
    run: (questions, { content }) => JSON.stringify({ answers: answersByQuestion(questions, content) }),
  });
}
