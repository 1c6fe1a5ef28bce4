import { parseJsonObject } from '../../protocol/json.ts';
import { answersByQuestion, readUserQuestions } from '../../protocol/question.ts';
import { functionSpec, functionTool } from './function-tool.ts';
import type { Tool } from './tool.ts';

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
