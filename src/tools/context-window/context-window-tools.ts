import { contextLeft, newContextFollows } from '../../fragments/answers/window-answers.ts';
import { refusedCall } from '../../fragments/answers/call-answers.ts';
import type { ToolSpec } from '../../ports/prompt.ts';
import { answeringTool } from '../answering-tool.ts';
import type { RunningCall, Tool } from '../define.ts';

const noArguments = { type: 'object', properties: {}, additionalProperties: false };

const leftSpec: ToolSpec = {
  type: 'function',
  name: 'get_context_remaining',
  description: 'Says how many tokens are left in your context window.',
  strict: false,
  parameters: noArguments,
};

const newSpec: ToolSpec = {
  type: 'function',
  name: 'new_context',
  description:
    'Starts a new context window after this step: your work so far is compacted. Use it when a part of the work is done and its details are no longer needed.',
  strict: false,
  parameters: noArguments,
};

export function contextRemainingTool(): Tool {
  return windowTool(leftSpec, ({ window }) => contextLeft(window?.left()));
}

export function newContextTool(): Tool {
  return windowTool(newSpec, ({ window }) => {
    if (window === undefined) return refusedCall('the history cannot be compacted here.', 'Go on as you are.');
    window.renew();
    return newContextFollows;
  });
}

function windowTool(spec: ToolSpec, answer: (call: RunningCall) => string): Tool {
  return answeringTool({ spec, offeredIn: ({ features }) => features.includes('token_budget'), answer });
}
