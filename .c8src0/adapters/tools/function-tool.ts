import { defined } from '../../base/objects.ts';
import type { Step } from '../../core/envelope/envelope.ts';
import type { ToolTraits } from '../../core/envelope/facts.ts';
import { badArgumentsText } from '../../core/fragments/answers/tool-calls.ts';
import type { CallNeeds } from '../../core/policy/decide/call-decision.ts';
import type { ToolSpec } from '../../ports/model.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import type { CallResult, CallPreparation, PreparedCall, RefusedCall, CallRunContext, Tool, ToolCall } from './tool.ts';

/** Declares a function whose arguments are these properties and no others. */
export function functionSpec(
  name: string,
  description: string,
  properties: JsonObject = {},
  required?: readonly string[],
): ToolSpec {
  const parameters = { type: 'object', properties, ...defined({ required }), additionalProperties: false };
  return { type: 'function', name, description, strict: false, parameters };
}

export const notJsonObjectProblem = 'they are not a JSON object.';
export const argumentsRefusal = (problem: string): RefusedCall => ({
  kind: 'refused',
  output: badArgumentsText(problem),
});

/** Some models write nothing where all arguments may be left out. */
export const parseOptionalArguments = (input: string): JsonObject | undefined =>
  parseJsonObject(input.trim() === '' ? '{}' : input);

export function callItem(id: string, tool: string, given: JsonObject): ToolCallItem {
  return { kind: 'tool-call', id, tool, arguments: given, status: 'in-progress' };
}

/** The result of a call that answers with a text. */
export function textCallResult(item: ToolCallItem, output: string, ok = true): CallResult {
  return { output, item: { ...item, status: ok ? 'completed' : 'failed', output } };
}

export interface FunctionTool<Given>
  extends
    Omit<ToolTraits, 'name'>,
    Pick<Tool, 'foreignSchema' | 'isExternal' | 'isOwn'>,
    Pick<PreparedCall, 'alone' | 'idempotent'> {
  readonly spec: ToolSpec;
  /** Undefined: the arguments are malformed. Default: they must be a JSON object. */
  parse?(input: string): JsonObject | undefined;
  readonly malformed?: string;
  /** A string says what is wrong with the arguments. */
  read(given: JsonObject, step: Step): Given | string | Promise<Given | string>;
  needs?(wanted: Given, given: JsonObject): CallNeeds;
  /** A text alone is the answer of a call that succeeded. */
  run(wanted: Given, running: CallRunContext, call: BegunCall): Answer | Promise<Answer>;
}

type BegunCall = ToolCall & { readonly step: Step; readonly item: ToolCallItem };
type Answer = string | { readonly output: string; readonly ok: boolean } | CallResult;

/** A tool that reads its arguments when it is called and answers with a text when it runs. */
export function functionTool<Given>({
  spec,
  parse = parseJsonObject,
  malformed = notJsonObjectProblem,
  read,
  needs,
  run,
  alone,
  idempotent,
  ...traits
}: FunctionTool<Given>): Tool {
  const name = String(spec['name']);
  return {
    ...traits,
    name,
    spec,
    prepare(call, step) {
      const given = parse(call.input);
      if (given === undefined) return argumentsRefusal(malformed);
      const prepared = (wanted: Given | string): CallPreparation => {
        if (typeof wanted === 'string') return argumentsRefusal(wanted);
        const item = callItem(call.callId, name, given);
        return {
          kind: 'prepared',
          item,
          needs: needs?.(wanted, given) ?? {},
          ...defined({ alone, idempotent }),
          async run(running) {
            const answer = await run(wanted, running, { ...call, step, item });
            if (typeof answer === 'string') return textCallResult(item, answer);
            return 'item' in answer ? answer : textCallResult(item, answer.output, answer.ok);
          },
        };
      };
      const wanted = read(given, step);
      return wanted instanceof Promise ? wanted.then(prepared) : prepared(wanted);
    },
  };
}
