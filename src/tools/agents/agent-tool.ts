import { badArguments } from '../../fragments/answers/call-answers.ts';
import { agentBoundsOf } from '../../envelope/agent-bounds.ts';
import type { AgentCaller } from '../../ports/agents.ts';
import { defined } from '../../protocol/defined.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import type { Tool } from '../define.ts';

/** What one of the tools for agents does. */
export interface AgentTool<Given> {
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly idempotent?: true;
  /** The arguments, or what is wrong with them. */
  read(given: JsonObject): Given | string;
  run(given: Given, call: AgentCall): Promise<{ readonly output: string; readonly ok: boolean }>;
}

export interface AgentCall {
  readonly caller: AgentCaller;
  readonly signal: AbortSignal;
  /** Whether words of the user wait for the next request. */
  hasWords(): boolean;
}

export function agentTool<Given>(tool: AgentTool<Given>): Tool {
  const { name, description, properties, required, idempotent } = tool;
  const parameters = { type: 'object', properties, required, additionalProperties: false };
  return {
    name,
    spec: { type: 'function', name, description, strict: false, parameters },
    prepare({ callId, input }, step) {
      const given = parseJsonObject(input.trim() === '' ? '{}' : input);
      const read = given === undefined ? 'they are not a JSON object.' : tool.read(given);
      if (given === undefined || typeof read === 'string')
        return { kind: 'refused', output: badArguments(String(read)) };
      const item: ToolCallItem = { kind: 'tool-call', id: callId, tool: name, arguments: given, status: 'in-progress' };
      return {
        kind: 'prepared',
        item,
        needs: {},
        ...defined({ idempotent }),
        async run({ signal, hasWords = () => false }) {
          const { envelope } = step;
          const caller = { ...agentBoundsOf(envelope), turnId: envelope.telemetry.turnId, callId };
          const { output, ok } = await tool.run(read, { caller, signal, hasWords });
          return { output, item: { ...item, status: ok ? 'completed' : 'failed', output } };
        },
      };
    },
  };
}
