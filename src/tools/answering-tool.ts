import type { ToolSpec } from '../ports/prompt.ts';
import type { ToolCallItem } from '../protocol/turn-item.ts';
import type { RunningCall, Tool } from './define.ts';

interface AnsweringTool {
  readonly spec: ToolSpec;
  readonly offeredIn: NonNullable<Tool['offeredIn']>;
  answer(call: RunningCall): string;
}

/** A tool without arguments that needs nothing and answers at once. */
export function answeringTool({ spec, offeredIn, answer }: AnsweringTool): Tool {
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
