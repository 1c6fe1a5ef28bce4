import { badArguments } from '../../fragments/answers/call-answers.ts';
import { mcpFailure, mcpResult, saidByServer } from '../../fragments/answers/mcp-answers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { McpServers, McpTool } from '../../ports/mcp-servers.ts';
import { defined } from '../../protocol/defined.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import type { UserImage } from '../../protocol/user-input.ts';
import type { CallResult, RunningCall, Tool } from '../define.ts';

export interface McpToolPorts {
  readonly servers: Pick<McpServers, 'call'>;
  readonly clock: Clock;
  /** Gives a picture as models take it. */
  loadImage(dataUrl: string, signal: AbortSignal): Promise<UserImage | Outcome>;
}

/** What a call of it asks of the policy. */
export function mcpNeed({ server, tool, hints, described, approval, isChanged }: McpTool): NonNullable<Tool['mcp']> {
  return { server, tool, hints, described, mode: approval, ...defined({ isChanged }) };
}

/** A tool in the list that its server does not list now: a call of it says why. */
export function missingMcpTool({ name, spec }: Pick<Tool, 'name' | 'spec'>, why: () => string): Tool {
  return { name, spec, prepare: () => ({ kind: 'refused', output: why() }) };
}

/** A tool of an MCP server. `deferred`: the model finds it by searching. */
export function mcpTool(known: McpTool, ports: McpToolPorts, { deferred }: { readonly deferred: boolean }): Tool {
  const { server, tool, name, spec, hints, described, approval: mode, isParallel } = known;
  const need = mcpNeed(known);
  // The other modes decide without them.
  const isDecidedOn = mode === 'auto' || mode === 'writes' || known.isApprovedAsDescribed === true;
  const decidedOn = isDecidedOn ? { hints, ...(hints.readOnly === true ? {} : { described }) } : {};
  const isRepeatable = hints.readOnly === true || hints.idempotent === true;
  return {
    name,
    spec,
    foreignSchema: true,
    isExternal: true,
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
      const takesPictures = capabilities.modalities.includes('image');
      return {
        kind: 'prepared',
        item,
        needs: { mcp: need },
        ...(isParallel ? {} : { alone: true as const }),
        ...(isRepeatable ? { idempotent: true as const } : {}),
        async run(call: RunningCall): Promise<CallResult> {
          const begun = ports.clock.now();
          const wanted = { server, tool, arguments: given, isRepeatable, metadata, ...decidedOn };
          const answer = await ports.servers.call(wanted, waysOf(call));
          const seconds = (ports.clock.now() - begun) / 1000;
          if (answer.kind === 'failed') return ended(item, mcpFailure(answer.why, seconds), 'failed');
          const picture = (dataUrl: string) => ports.loadImage(dataUrl, call.signal);
          const output = await mcpResult(answer.result, { seconds, ...(takesPictures && { picture }) });
          const status = answer.result['isError'] === true ? 'failed' : 'completed';
          return ended({ ...item, ...defined({ result: shownResult(answer.result) }) }, output, status);
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
  return { output, item: { ...item, status, output: saidByServer(output) } };
}

/** A result that is larger is shown as text alone. */
const mostShownCharacters = 1_000_000;

function shownResult(result: JsonObject): ToolCallItem['result'] {
  const { content = [], structuredContent = null } = result;
  if (!Array.isArray(content) || JSON.stringify([content, structuredContent]).length > mostShownCharacters)
    return undefined;
  return { content, structured: structuredContent };
}
