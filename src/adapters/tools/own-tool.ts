import {
  stringOption,
  choiceOption,
  copiedObjectWithMethods,
  booleanOption,
  jsonObjectOption,
  listOption,
  functionOption,
  validateOptions,
  trueOnlyOption,
  optionWhere,
} from '../../core/envelope/read-options.ts';
import type { OptionReaders, OptionType } from '../../core/envelope/read-options.ts';
import { toolFailedText } from '../../core/fragments/answers/tool-calls.ts';
import { mcpContentParts, type PreparePicture } from '../../core/fragments/answers/content-parts.ts';
import type { Threads } from '../../ports/threads.ts';
import { valueOrAbort } from '../../protocol/abort.ts';
import { messageOfThrown } from '../../protocol/display-text.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import { textCallResult, functionTool, parseOptionalArguments } from './function-tool.ts';
import type { CallResult, Tool } from './tool.ts';

/** A tool supplied by a program. It runs inside that program, without a sandbox. */
export interface OwnTool {
  /** Letters, digits, `_` and `-`, at most 64. Must differ from built-in tools. */
  readonly name: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  /** JSON Schema of the arguments, an object. The model follows it; arguments are not validated against it. */
  readonly parameters: JsonObject;
  /** Never runs concurrently with another call of the same answer. */
  readonly alone?: true;
  /** Calling again does no harm. */
  readonly idempotent?: true;
  /** Not listed for the model, which finds it by searching. */
  readonly deferLoading?: true;
  /**
   * It works on something outside this program: `reads` changes nothing there, `changes` may. The approval policy then
   * decides about each call. Absent: calls run without a question.
   */
  readonly remote?: 'reads' | 'changes';
  /**
   * Returns the text for the model. A thrown error becomes a failed call. It must not wait for another turn of its own
   * thread: that turn begins only after the turn of this call has ended.
   */
  run(given: JsonObject, call: OwnToolCall): Promise<string | OwnToolResult> | string | OwnToolResult;
}

export interface OwnToolCall {
  readonly callId: string;
  readonly threadId: string;
  readonly turnId: string;
  /** The turn's folder. */
  readonly cwd: string;
  /** Aborts when the turn is interrupted: the result is then ignored. */
  readonly signal: AbortSignal;
  /** The threads of the engine. One opened here has at most the rights of this turn. */
  readonly threads: Threads;
}

export interface OwnToolResult {
  readonly output: string;
  /** False: surfaces show that the call failed. */
  readonly ok: boolean;
  /** Pictures for the model after the text, as data URLs. A model that takes none reads that they are left out. */
  readonly images?: readonly string[];
}

export function ownTool(own: OwnTool, picture: PreparePicture): Tool {
  const { name, description, parameters, remote } = own;
  return functionTool<JsonObject>({
    spec: { type: 'function', name, description, strict: false, parameters },
    foreignSchema: true,
    isOwn: true,
    ...(remote && { isExternal: true }),
    ...(own.deferLoading && { deferred: true }),
    alone: own.alone,
    idempotent: own.idempotent,
    parse: parseOptionalArguments,
    read: (given) => given,
    needs: () => (remote ? { remote: { tool: name, ...(remote === 'reads' && { reads: true }) } } : {}),
    run(_, { signal, threads }, { callId, step, item }) {
      const { telemetry, workspace, capabilities } = step.envelope;
      const { threadId, turnId } = telemetry;
      const show = capabilities.modalities.includes('image') ? picture : undefined;
      return run(own, item, { callId, threadId, turnId, cwd: workspace.cwd, signal, threads }, show);
    },
  });
}

async function run(
  own: OwnTool,
  item: ToolCallItem,
  call: OwnToolCall,
  picture: PreparePicture | undefined,
): Promise<CallResult> {
  // A tool that ignores its signal must not delay the turn.
  const { output, ok, images = [] } = await valueOrAbort(attempt(own, item.arguments, call), call.signal, interrupted);
  const result = textCallResult(item, output, ok);
  if (images.length === 0) return result;
  const content = [{ type: 'text', text: output }, ...images.map((data) => ({ type: 'image', data }))];
  return { ...result, output: await mcpContentParts(content, picture) };
}

async function attempt(own: OwnTool, given: JsonObject, call: OwnToolCall): Promise<OwnToolResult> {
  try {
    const { ownToolThreadStorage } = await import('./own-tool-call-thread.ts');
    // A copy, so that the recorded call stays as the model wrote it.
    const result: unknown = await ownToolThreadStorage.run(call.threadId, () => own.run(structuredClone(given), call));
    if (typeof result === 'string') return { output: result, ok: true };
    if (result === undefined || result === null) return { output: toolFailedText('it gave no text.'), ok: false };
    // A misspelt failure flag must not pass for success.
    const read = validateOptions<PartialResult>(result, resultOptions, `the result of ${own.name}`);
    return 'code' in read ? { output: toolFailedText(read.message), ok: false } : { ok: true, ...read };
  } catch (error) {
    return { output: toolFailedText(messageOfThrown(error)), ok: false };
  }
}

type PartialResult = Omit<OwnToolResult, 'ok'> & Partial<Pick<OwnToolResult, 'ok'>>;
const dataUrl = optionWhere<string>('a data URL', (given) => typeof given === 'string' && given.startsWith('data:'));

const resultOptions = {
  output: { type: stringOption, required: true },
  ok: { type: booleanOption },
  images: { type: listOption(dataUrl, 'a list of data URLs') },
} as const satisfies OptionReaders<PartialResult>;

const interrupted: OwnToolResult = { output: toolFailedText('the turn was interrupted.'), ok: false };
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

const toolName = optionWhere<string>(
  'a name of letters, digits, _ and -, at most 64',
  (given) => typeof given === 'string' && namePattern.test(given),
);

export const ownToolOption: OptionType<OwnTool> = copiedObjectWithMethods<OwnTool>('a tool', {
  name: { type: toolName, required: true },
  description: { type: stringOption, required: true },
  parameters: { type: jsonObjectOption, required: true },
  alone: { type: trueOnlyOption },
  idempotent: { type: trueOnlyOption },
  deferLoading: { type: trueOnlyOption },
  remote: { type: choiceOption('reads', 'changes') },
  run: { type: functionOption(), required: true },
});

/** `clashes`: names that more than one tool has. */
export function toolNameClash([first]: readonly string[]): Outcome | undefined {
  if (first === undefined) return undefined;
  return { code: 'tool-name-taken', message: `There are two tools named ${first}.`, next: 'Rename yours.' };
}
