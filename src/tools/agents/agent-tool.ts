import { badArguments } from '../../fragments/answers/call-answers.ts';
import type { Step } from '../../envelope/step.ts';
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
  /** Whether words of the user wait. Absent: not known. */
  readonly hasWords?: () => boolean;
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
        async run({ signal, hasWords }) {
          const call = { caller: callerOf(step, callId), signal, ...defined({ hasWords }) };
          const { output, ok } = await tool.run(read, call);
          return { output, item: { ...item, status: ok ? 'completed' : 'failed', output } };
        },
      };
    },
  };
}

/** What the turn of the call may do: its agents may not do more. */
function callerOf({ envelope }: Step, callId: string): AgentCaller {
  const { telemetry, workspace, identity, policy, capabilities } = envelope;
  const { effort } = identity.chosen;
  return {
    turnId: telemetry.turnId,
    callId,
    cwd: workspace.cwd,
    provider: identity.provider,
    model: identity.model.slug,
    approval: policy.approval,
    profile: policy.profile,
    ...defined({ effort, withoutTools: capabilities.withoutTools }),
  };
}
