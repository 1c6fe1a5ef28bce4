import { clientResult, type PreparePicture } from '../../core/fragments/answers/content-parts.ts';
import type { CallableTool } from '../../protocol/client-tool.ts';
import { defined } from '../../base/objects.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { functionTool, parseOptionalArguments } from './function-tool.ts';
import type { CallResult, Tool } from './tool.ts';

/** A tool defined by the client: a call is a question to it, and its answer is the output. Nothing is executed here. */
export function clientTool(
  known: CallableTool,
  { picture, deferred }: { readonly picture: PreparePicture; readonly deferred: boolean },
): Tool {
  const { name, description, inputSchema: parameters, tool, namespace } = known;
  const client = { tool, ...defined({ namespace: namespace?.name }) };
  return functionTool<JsonObject>({
    spec: { type: 'function', name, description, strict: false, parameters },
    foreignSchema: true,
    ...(deferred && { deferred }),
    idempotent: true,
    parse: parseOptionalArguments,
    read: (given) => given,
    needs: () => ({ client }),
    async run(_, { content }, { step, item }) {
      const show = step.envelope.capabilities.modalities.includes('image') ? picture : undefined;
      const { output, ok } = await clientResult(content, show);
      return { output, item: { ...item, status: ok ? 'completed' : 'failed', output: shown(output) } };
    },
  });
}

function shown(output: CallResult['output']): string {
  if (typeof output === 'string') return output;
  return output.map(({ text }) => (typeof text === 'string' ? text : '[picture]')).join('\n');
}
