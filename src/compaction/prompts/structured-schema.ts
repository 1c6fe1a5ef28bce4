import type { JsonObject } from '../../protocol/json.ts';

/** The shape of the answer to the structured prompt. */
export const structuredSchema: JsonObject = {
  type: 'object',
  properties: {
    intent_user_message: { type: 'string' },
    summary: { type: 'string' },
  },
  required: ['intent_user_message', 'summary'],
  additionalProperties: false,
};
