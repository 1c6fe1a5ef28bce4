import { badArguments } from '../../core/fragments/answers/tool-calls.ts';
import type { ToolSpec } from '../../ports/model.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import { answersByQuestion, readUserQuestions } from '../../protocol/question.ts';
import type { Tool } from './tool.ts';

const name = 'request_user_input';

const option = {
  type: 'object',
  properties: {
    label: { type: 'string', description: 'What the user picks, in 1 to 5 words.' },
    description: { type: 'string', description: 'What follows from it, in one short sentence.' },
  },
  required: ['label', 'description'],
  additionalProperties: false,
};

const spec: ToolSpec = {
  type: 'function',
  name,
  description:
    'Asks the user 1 to 3 short questions and waits for the answers. Use it where the work depends on a choice that is theirs. The user may also answer in their own words.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      questions: {
        type: 'array',
        items: {
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
        },
      },
    },
    required: ['questions'],
    additionalProperties: false,
  },
};

/** Has no effect of its own: the call is its question, and the user's answer is its output. */
export function requestUserInputTool(): Tool {
  return {
    name,
    offeredIn: ({ mode, features, hasUser }) =>
      hasUser && (mode === 'plan' || features.includes('default_mode_request_user_input')),
    spec,
    prepare({ callId, input }) {
      const given = parseJsonObject(input);
      const questions = readUserQuestions(given);
      if (given === undefined || typeof questions === 'string') {
        const problem = typeof questions === 'string' ? questions : 'they are not a JSON object.';
        return { kind: 'refused', output: badArguments(problem) };
      }
      const item: ToolCallItem = { kind: 'tool-call', id: callId, tool: name, arguments: given, status: 'in-progress' };
      return {
        kind: 'prepared',
        item,
        needs: { input: questions },
        idempotent: true,
        run({ content }) {
          const output = JSON.stringify({ answers: answersByQuestion(questions, content) });
          return Promise.resolve({ output, item: { ...item, status: 'completed', output } });
        },
      };
    },
  };
}
