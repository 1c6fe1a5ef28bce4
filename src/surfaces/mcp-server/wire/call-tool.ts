import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../../protocol/json.ts';
import type { ServerTool, ToolAnswer } from '../offer/server-tool.ts';
import { shortened } from '../offer/shortened.ts';
import { argumentsProblem, misfit } from './check-arguments.ts';
import { type Caller, runCall } from './run-call.ts';

/** Calls a tool and gives what `tools/call` answers. Wrong arguments are a result: hosts show those to their model. */
export async function answerToolCall(
  { report }: { report(problem: string): void },
  caller: Caller,
  request: ServerContext,
  tool: ServerTool,
  args: JsonObject,
): Promise<JsonObject | InputRequiredResult> {
  const problem = await argumentsProblem(tool.input, args);
  if (problem !== undefined) return failure(`The arguments of ${tool.name} are wrong. ${problem}`);
  request.mcpReq.signal.throwIfAborted();
  try {
    const answer = await runCall(caller, request, {
      name: tool.name,
      args,
      work: (context) => tool.call(args, context),
    });
    return 'resultType' in answer ? answer : await resultOf(tool, answer);
  } catch (error) {
    if (request.mcpReq.signal.aborted || isProtocolError(error)) throw error;
    report(`The tool ${tool.name} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return failure(`${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function failure(text: string): JsonObject {
  return { content: [{ type: 'text', text: shortened(text) }], isError: true };
}

/** Clients check structured content against the schema of the tool, also that of an error. */
async function resultOf(tool: ServerTool, { text, content, data, isError }: ToolAnswer): Promise<JsonObject> {
  const shown = content ?? [{ type: 'text', text }];
  if (isError !== true) return { content: shown, structuredContent: data };
  const fits = (await misfit(tool.output, data)) === undefined;
  return { content: shown, ...(fits ? { structuredContent: data } : {}), isError };
}

function isProtocolError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'number';
}
