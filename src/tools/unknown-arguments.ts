import { ignoredArguments } from '../fragments/answers/call-answers.ts';
import type { CallItem } from '../protocol/item.ts';
import { isJsonObject, objectAt, parseJsonObject } from '../protocol/json.ts';
import type { CallResult, Prepared, Tool } from './define.ts';

/**
 * A tool of Capstan ignores arguments that it does not have, and the end of its answer says so: the call is not wasted,
 * and the model learns that they did nothing. Schemas of others are theirs to check.
 */
export function reportUnknown(tool: Tool, call: CallItem, prepared: Prepared): Prepared {
  const unknown = unknownIn(tool, call);
  if (unknown.length === 0) return prepared;
  const note = ignoredArguments(unknown);
  if (prepared.kind === 'refused') return { ...prepared, output: `${prepared.output}\n${note}` };
  return {
    ...prepared,
    async run(running) {
      const end = await prepared.run(running);
      return { ...end, output: withEnd(end.output, note) };
    },
  };
}

function unknownIn(tool: Tool, call: CallItem): readonly string[] {
  if (tool.foreignSchema === true || call.type !== 'function_call') return [];
  const given = parseJsonObject(call.arguments);
  if (given === undefined) return [];
  const spec = tool.askingSpec?.({ savesRules: true }) ?? tool.spec;
  const parameters = spec['parameters'];
  if (!isJsonObject(parameters) || parameters['additionalProperties'] !== false) return [];
  const known = objectAt(parameters, 'properties') ?? {};
  // Some models write null for what they leave out.
  return Object.keys(given).filter((name) => !Object.hasOwn(known, name) && given[name] !== null);
}

function withEnd(output: CallResult['output'], note: string): CallResult['output'] {
  return typeof output === 'string'
    ? `${output}${output.endsWith('\n') ? '' : '\n'}${note}`
    : [...output, { type: 'input_text', text: note }];
}
