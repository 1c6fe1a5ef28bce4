import { badArguments } from '../../fragments/answers/call-answers.ts';
import { mcpFailure, mcpResult } from '../../fragments/answers/mcp-answers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { McpServers, McpTool } from '../../ports/mcp-servers.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import type { CallResult, RunningCall, Tool } from '../define.ts';

export interface McpToolPorts {
  readonly servers: Pick<McpServers, 'call'>;
  readonly clock: Clock;
  /** Looks whether a picture is one that models take. */
  readonly picture: (dataUrl: string) => { readonly dataUrl: string } | { readonly message: string };
}

/** What a call of it asks of the policy. */
export function mcpNeed({ server, tool, hints, approval }: McpTool): NonNullable<Tool['mcp']> {
  return { server, tool, hints, mode: approval };
}

/** A tool in the list that its server does not list now: a call of it says why. */
export function missingMcpTool({ name, spec }: Pick<Tool, 'name' | 'spec'>, why: () => string): Tool {
  return { name, spec, prepare: () => ({ kind: 'refused', output: why() }) };
}

/** A tool of an MCP server. `deferred`: the model finds it by searching. */
export function mcpTool(known: McpTool, ports: McpToolPorts, { deferred }: { readonly deferred: boolean }): Tool {
  const { server, tool, name, spec, hints, isParallel } = known;
  const need = mcpNeed(known);
  const isRepeatable = hints.readOnly === true || hints.idempotent === true;
  return {
    name,
    spec,
    mcp: need,
    ...(deferred ? { deferred } : {}),
    prepare({ callId, input }, { envelope: { capabilities, telemetry } }) {
      const given = parseJsonObject(input.trim() === '' ? '{}' : input);
      if (given === undefined) return { kind: 'refused', output: badArguments('they are not a JSON object.') };
      const item: ToolCallItem = {
        kind: 'tool-call',
        id: callId,
        server,
        tool,
        arguments: given,
        status: 'in-progress',
      };
      const metadata = { threadId: telemetry.threadId, turnId: telemetry.turnId, callId };
      const picture = capabilities.modalities.includes('image') ? { picture: ports.picture } : {};
      return {
        kind: 'prepared',
        item,
        needs: { mcp: need },
        ...(isParallel ? {} : { alone: true as const }),
        ...(isRepeatable ? { idempotent: true as const } : {}),
        async run(call: RunningCall): Promise<CallResult> {
          const begun = ports.clock.now();
          const wanted = { server, tool, arguments: given, isRepeatable, metadata };
          const answer = await ports.servers.call(wanted, waysOf(call));
          const seconds = (ports.clock.now() - begun) / 1000;
          if (answer.kind === 'failed') return ended(item, mcpFailure(answer.why, seconds), 'failed');
          const output = mcpResult(answer.result, { seconds, ...picture });
          return ended(item, output, answer.result['isError'] === true ? 'failed' : 'completed');
        },
      };
    },
  };
}

function waysOf({ signal, warn, output, elicit }: RunningCall): Parameters<McpServers['call']>[1] {
  const encoder = new TextEncoder();
  return {
    signal,
    warn,
    ...(output === undefined ? {} : { progress: (text: string) => output(encoder.encode(text)) }),
    ...(elicit === undefined ? {} : { elicit }),
  };
}

function ended(item: ToolCallItem, output: CallResult['output'], status: 'completed' | 'failed'): CallResult {
  const shown = typeof output === 'string' ? output : output.map((part) => shownPart(part['text'])).join('\n');
  return { output, item: { ...item, status, output: shown } };
}

function shownPart(text: unknown): string {
  return typeof text === 'string' ? text : '[picture]';
}
