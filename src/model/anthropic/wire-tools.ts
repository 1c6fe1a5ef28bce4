import type { ToolSpec } from '../../ports/prompt.ts';
import { defined } from '../../protocol/defined.ts';
import { type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';
import { wireName } from './projection.ts';

/** A tool as the format offers it; undefined for one that a provider of another format would run itself. */
export function wireTool(spec: ToolSpec): JsonObject | undefined {
  const [name, description] = [stringAt(spec, 'name'), stringAt(spec, 'description')];
  if (name === undefined) return undefined;
  const about = { name: wireName(name), ...defined({ description }) };
  if (spec.type === 'function') return { ...about, input_schema: objectSchema(objectAt(spec, 'parameters') ?? {}) };
  if (spec.type !== 'custom') return undefined;
  // Free text is what the grammar says: there is no other place for it.
  const grammar = stringAt(objectAt(spec, 'format'), 'definition');
  const input = { type: 'string', ...defined({ description: grammar && `Must follow this grammar:\n${grammar}` }) };
  return { ...about, input_schema: { type: 'object', properties: { input }, required: ['input'] } };
}

/** The format takes only objects, and no choice between schemas at the top. */
function objectSchema(schema: JsonObject): JsonObject {
  const { anyOf: _any, oneOf: _one, allOf: _all, ...rest } = schema;
  return rest['type'] === 'object' ? rest : { ...rest, type: 'object' };
}
