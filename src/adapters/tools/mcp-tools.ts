import { defined } from '../../base/objects.ts';
import {
  mcpFailureText,
  mcpResourcesText,
  mcpResult,
  withoutMcpPreamble,
} from '../../core/fragments/answers/mcp-and-found-tools.ts';
import type { CallNeeds } from '../../core/policy/decide/call-decision.ts';
import type { McpResourceRequest, McpServers, McpTool } from '../../ports/mcp-servers.ts';
import type { Clock } from '../../ports/system.ts';
import { arrayAt, type Json, type JsonObject, stringAt } from '../../protocol/json.ts';
import { messageOfThrown } from '../../protocol/display-text.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { McpApprovalMode } from '../../protocol/permissions.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import type { UserImage } from '../../protocol/user-input.ts';
import {
  callItem,
  functionSpec,
  functionTool,
  notJsonObjectProblem,
  parseOptionalArguments,
  argumentsRefusal,
} from './function-tool.ts';
import type { CallResult, CallRunContext, Tool } from './tool.ts';

interface McpToolPorts {
  readonly servers: Pick<McpServers, 'call'>;
  readonly clock: Clock;
  loadImage(dataUrl: string, signal: AbortSignal): Promise<UserImage | Outcome>;
}

export function mcpNeed({ server, tool, hints, described, approval, isChanged }: McpTool): NonNullable<Tool['mcp']> {
  return { server, tool, hints, described, mode: approval, ...defined({ isChanged }) };
}

/** Replaces a listed tool that its server no longer has: a call explains why. */
export function missingMcpTool({ name, spec }: Pick<Tool, 'name' | 'spec'>, why: () => string): Tool {
  return { name, spec, prepare: () => ({ kind: 'refused', output: why() }) };
}

/** `deferred`: the model finds it by searching. */
export function mcpTool(known: McpTool, ports: McpToolPorts, { deferred }: { readonly deferred: boolean }): Tool {
  const { server, tool, name, spec, hints, described, approval: mode, isParallel } = known;
  const need = mcpNeed(known);
  // The other modes decide without hints and description.
  const isDecidedOn = mode === 'auto' || mode === 'writes' || known.isApprovedAsDescribed === true;
  const decidedOn = isDecidedOn ? { hints, ...(hints.readOnly === true ? {} : { described }) } : {};
  const isRepeatable = hints.readOnly === true || hints.idempotent === true;
  return {
    name,
    spec,
    foreignSchema: true,
    isExternal: true,
    mcp: need,
    ...(deferred && { deferred }),
    prepare({ callId, input }, { envelope: { capabilities, telemetry } }) {
      const given = parseOptionalArguments(input);
      if (given === undefined) return argumentsRefusal(notJsonObjectProblem);
      const { kind, id, ...about } = callItem(callId, tool, given);
      const item: ToolCallItem = { kind, id, server, ...about };
      const metadata = { threadId: telemetry.threadId, turnId: telemetry.turnId, callId };
      const takesPictures = capabilities.modalities.includes('image');
      return {
        kind: 'prepared',
        item,
        needs: { mcp: need },
        ...(isParallel ? {} : { alone: true }),
        ...(isRepeatable && { idempotent: true }),
        async run(call: CallRunContext): Promise<CallResult> {
          const begun = ports.clock.now();
          const wanted = { server, tool, arguments: given, isRepeatable, metadata, ...decidedOn };
          const answer = await ports.servers.call(wanted, waysOf(call));
          const seconds = (ports.clock.now() - begun) / 1000;
          if (answer.kind === 'failed') return answered(item, mcpFailureText(answer.why, seconds), 'failed');
          const picture = (dataUrl: string) => ports.loadImage(dataUrl, call.signal);
          const output = await mcpResult(answer.result, { seconds, ...(takesPictures && { picture }) });
          const status = answer.result['isError'] === true ? 'failed' : 'completed';
          return answered({ ...item, ...defined({ result: shownResult(answer.result) }) }, output, status);
        },
      };
    },
  };
}

function waysOf({ signal, warn, output, elicit }: CallRunContext): Parameters<McpServers['call']>[1] {
  return { signal, warn, elicit, progress: output && ((text: string) => output(new TextEncoder().encode(text))) };
}

function answered(item: ToolCallItem, output: CallResult['output'], status: 'completed' | 'failed'): CallResult {
  return { output, item: { ...item, status, output: withoutMcpPreamble(output) } };
}

const mostShownCharacters = 1_000_000;

function shownResult(result: JsonObject): ToolCallItem['result'] {
  const { content = [], structuredContent = null } = result;
  if (!Array.isArray(content) || JSON.stringify([content, structuredContent]).length > mostShownCharacters)
    return undefined;
  return { content, structured: structuredContent };
}

interface ResourcePorts {
  readonly servers: Pick<McpServers, 'ask' | 'names'>;
  readonly clock: Clock;
  approvalOf(server: string): McpApprovalMode;
}

const server = { type: 'string', description: 'The name of an MCP server. Without it: all of them.' };
const cursor = { type: 'string', description: 'Where the last page ended; needs a server.' };

export function mcpResourceTools(ports: ResourcePorts): readonly Tool[] {
  return [
    listing(ports, listSpec, 'resources/list', 'resources'),
    listing(ports, templatesSpec, 'resources/templates/list', 'resourceTemplates'),
    reading(ports),
  ];
}

const listSpec = functionSpec(
  'list_mcp_resources',
  'Lists what MCP servers offer to be read, such as files and tables. Prefer it to searching the web.',
  { server, cursor },
  [],
);

const templatesDo = 'Lists patterns of addresses that MCP servers offer to be read.';
const templatesSpec = functionSpec('list_mcp_resource_templates', templatesDo, { server, cursor }, []);

function listing(ports: ResourcePorts, spec: Tool['spec'], method: McpResourceRequest['method'], key: string): Tool {
  return resourceTool(ports, spec, (given) => {
    const [of, from] = [stringAt(given, 'server'), stringAt(given, 'cursor')];
    if (from !== undefined && of === undefined) return 'a cursor needs a server.';
    if (of !== undefined) {
      return async (ask) => {
        const result = await ask({ server: of, method, parameters: defined({ cursor: from }) });
        return { server: of, [key]: arrayAt(result, key) ?? [], nextCursor: result['nextCursor'] };
      };
    }
    return async (ask) => {
      const asked = ports.servers.names.map(async (each): Promise<readonly Json[]> => {
        // Servers without resources or without an answer must not hide the others.
        const result = await ask({ server: each, method, parameters: {} }).catch(() => undefined);
        return (arrayAt(result, key) ?? []).map((found) => ({ server: each, ...(found as JsonObject) }));
      });
      return { [key]: (await Promise.all(asked)).flat() };
    };
  });
}

function reading(ports: ResourcePorts): Tool {
  const properties = {
    server: { type: 'string', description: 'The name of the MCP server.' },
    uri: { type: 'string', description: 'The address of the resource, as list_mcp_resources gives it.' },
  };
  const spec = functionSpec('read_mcp_resource', 'Reads a resource of an MCP server.', properties, ['server', 'uri']);
  const read = (given: JsonObject): ResourceWork | string => {
    const [of, uri] = [stringAt(given, 'server'), stringAt(given, 'uri')];
    if (of === undefined || uri === undefined) return '`server` and `uri` must be strings.';
    return async (ask) => {
      const result = await ask({ server: of, method: 'resources/read', parameters: { uri } });
      return { server: of, uri, contents: arrayAt(result, 'contents') ?? [] };
    };
  };
  // Treated like a read-only tool of the server.
  const needs = ({ server: of }: JsonObject): CallNeeds =>
    typeof of !== 'string' || !ports.servers.names.includes(of)
      ? {}
      : { mcp: { server: of, tool: 'read_mcp_resource', hints: { readOnly: true }, mode: ports.approvalOf(of) } };
  return resourceTool(ports, spec, read, needs);
}

type ResourceWork = (ask: (wanted: McpResourceRequest) => Promise<JsonObject>) => Promise<JsonObject>;

/** `plan` returns what is to be done, or what is wrong with the arguments. */
function resourceTool(
  { servers, clock }: ResourcePorts,
  spec: Tool['spec'],
  plan: (given: JsonObject) => string | ResourceWork,
  needsOf: (given: JsonObject) => CallNeeds = () => ({}),
): Tool {
  return functionTool<ResourceWork>({
    spec,
    isExternal: true,
    idempotent: true,
    parse: parseOptionalArguments,
    read: plan,
    needs: (_, given) => needsOf(given),
    async run(work, running, { item }) {
      const begun = clock.now();
      const seconds = (): number => (clock.now() - begun) / 1000;
      const ask: Parameters<ResourceWork>[0] = async (wanted) => {
        const { signal } = running;
        const answer = await servers.ask(wanted, { signal, warn: (outcome) => running.warn(outcome) });
        if (answer.kind === 'failed') throw new Error(`${wanted.method} failed: ${answer.why}`);
        return answer.result;
      };
      try {
        return answered(item, mcpResourcesText(await work(ask), seconds()), 'completed');
      } catch (error) {
        return answered(item, mcpFailureText(messageOfThrown(error), seconds()), 'failed');
      }
    },
  });
}
