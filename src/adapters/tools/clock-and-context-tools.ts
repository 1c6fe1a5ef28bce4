import { sleepEnded, timeNow } from '../../core/fragments/answers/clock-and-sessions.ts';
import { badArguments, contextLeft, newContextFollows, refusedCall } from '../../core/fragments/answers/tool-calls.ts';
import type { ToolSpec } from '../../ports/model.ts';
import type { Clock } from '../../ports/system.ts';
import { numberAt, parseJsonObject } from '../../protocol/json.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import type { RunningCall, Tool } from './tool.ts';

const mostMs = 43_200_000;
/** Poll interval: delay until a message ends the sleep. */
const lookMs = 200;

const timeSpec: ToolSpec = {
  type: 'function',
  name: 'current_time',
  description: 'Gives the current date and time in UTC.',
  strict: false,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};

const sleepSpec: ToolSpec = {
  type: 'function',
  name: 'sleep',
  description:
    'Waits, for example for something that runs elsewhere. A new message of the user, a program or an agent ends the wait.',
  strict: false,
  parameters: {
    type: 'object',
    properties: { duration_ms: { type: 'integer', description: `Milliseconds, from 1 to ${mostMs}.` } },
    required: ['duration_ms'],
    additionalProperties: false,
  },
};

export function currentTimeTool({ clock }: { readonly clock: Clock }): Tool {
  return answeringTool({
    spec: timeSpec,
    offeredIn: ({ features }) => features.includes('current_time_reminder') || features.includes('sleep_tool'),
    answer: () => timeNow(clock.now()),
  });
}

export function sleepTool({ clock }: { readonly clock: Clock }): Tool {
  const tool = 'sleep';
  return {
    name: tool,
    offeredIn: ({ features }) => features.includes('sleep_tool'),
    spec: sleepSpec,
    prepare({ callId, input }) {
      const given = parseJsonObject(input);
      const duration = given === undefined ? undefined : numberAt(given, 'duration_ms');
      if (
        given === undefined ||
        duration === undefined ||
        !Number.isInteger(duration) ||
        duration < 1 ||
        duration > mostMs
      )
        return { kind: 'refused', output: badArguments(`\`duration_ms\` must be an integer from 1 to ${mostMs}.`) };
      const item: ToolCallItem = { kind: 'tool-call', id: callId, tool, arguments: given, status: 'in-progress' };
      return {
        kind: 'prepared',
        item,
        needs: {},
        idempotent: true,
        async run({ signal, hasMail }) {
          const from = clock.now();
          const until = from + duration;
          const isOver = (): boolean => clock.now() >= until || signal.aborted || hasMail?.() === true;
          while (!isOver()) await clock.sleep(Math.min(lookMs, until - clock.now()), signal);
          const output = sleepEnded(clock.now() - from, { isWhole: clock.now() >= until });
          return { output, item: { ...item, status: 'completed', output } };
        },
      };
    },
  };
}

interface AnsweringTool {
  readonly spec: ToolSpec;
  readonly offeredIn: NonNullable<Tool['offeredIn']>;
  answer(call: RunningCall): string;
}

function answeringTool({ spec, offeredIn, answer }: AnsweringTool): Tool {
  const tool = String(spec['name']);
  return {
    name: tool,
    offeredIn,
    spec,
    prepare({ callId }) {
      const item: ToolCallItem = { kind: 'tool-call', id: callId, tool, arguments: {}, status: 'in-progress' };
      return {
        kind: 'prepared',
        item,
        needs: {},
        idempotent: true,
        run(call) {
          const output = answer(call);
          return Promise.resolve({ output, item: { ...item, status: 'completed', output } });
        },
      };
    },
  };
}

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

export const contextRemainingTool = (): Tool => windowTool(leftSpec, ({ window }) => contextLeft(window?.left()));

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
