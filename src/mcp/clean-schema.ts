import { withoutInvisible } from '../base/invisible.ts';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';

/** Beyond this a schema is made smaller, step by step. */
const mostBytes = 5000;
const mostDepth = 16;
const mostMembers = 200;

/**
 * The parameters of a tool as providers accept them and as the model can afford them: an object with properties,
 * without boolean schemas, unused definitions and what is nested too deep to be of use.
 */
export function cleanSchema(given: unknown): JsonObject {
  const schema = isJsonObject(given) ? (plain(cleaned(given, 0)) as JsonObject) : {};
  const object: JsonObject = {
    ...schema,
    type: 'object',
    properties: isJsonObject(schema['properties']) ? schema['properties'] : {},
  };
  const steps = [withUsedDefinitions, withoutDescriptions, withoutDefinitions, collapsed, withoutCompositions];
  let small = object;
  for (const [at, step] of steps.entries()) if (at === 0 || bytesOf(small) > mostBytes) small = step(small);
  return bytesOf(small) > mostBytes ? { type: 'object', properties: {} } : small;
}

function bytesOf(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const compositions = ['anyOf', 'oneOf', 'allOf'] as const;
const maps = ['properties', '$defs', 'definitions', 'patternProperties'] as const;
const single = ['items', 'additionalProperties', 'not'] as const;

/** One schema of a tree. Names of members stay in their order. */
function cleaned(schema: Json | undefined, depth: number): Json {
  if (depth > mostDepth) return {};
  if (!isJsonObject(schema)) return { type: 'string' };
  const { const: only, ...rest } = schema;
  const result: Record<string, Json> = {};
  for (const [key, value] of Object.entries(rest).slice(0, mostMembers)) {
    if (value === undefined) continue;
    if (isOneOf(maps, key)) {
      if (isJsonObject(value)) result[key] = mapped(value, (member) => cleaned(member, depth + 1));
    } else if (isOneOf(compositions, key)) {
      if (Array.isArray(value))
        result[key] = value.slice(0, mostMembers).map((member: Json) => cleaned(member, depth + 1));
    } else if (isOneOf(single, key)) {
      result[key] = typeof value === 'boolean' && key !== 'items' ? value : cleaned(value, depth + 1);
    } else {
      result[key] = value;
    }
  }
  if (only !== undefined) result['enum'] = [only];
  const type = result['type'] ?? inferredType(result);
  return type === undefined ? result : { ...result, type };
}

/** The same without signs that no one sees, in names and in texts. */
function plain(value: Json): Json {
  if (typeof value === 'string') return withoutInvisible(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : [[withoutInvisible(key), plain(member)]],
    ),
  );
}

function inferredType(schema: Readonly<Record<string, Json>>): string | undefined {
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object';
  if ('items' in schema) return 'array';
  const [first] = Array.isArray(schema['enum']) ? (schema['enum'] as readonly Json[]) : [];
  if (typeof first === 'string' || typeof first === 'number' || typeof first === 'boolean') return typeof first;
  if ('minimum' in schema || 'maximum' in schema) return 'number';
  const refers = '$ref' in schema || compositions.some((key) => key in schema);
  return refers ? undefined : 'string';
}

function isOneOf<const Name extends string>(names: readonly Name[], key: string): key is Name {
  return (names as readonly string[]).includes(key);
}

function mapped(value: JsonObject, change: (member: Json) => Json): JsonObject {
  const members = Object.entries(value).slice(0, mostMembers);
  return Object.fromEntries(members.flatMap(([key, member]) => (member === undefined ? [] : [[key, change(member)]])));
}

/** Every schema of the tree, the members before what holds them. */
function everywhere(
  schema: JsonObject,
  change: (schema: JsonObject, depth: number) => JsonObject,
  depth = 0,
): JsonObject {
  const below = (member: Json): Json => (isJsonObject(member) ? everywhere(member, change, depth + 1) : member);
  const entries = Object.entries(schema).map(([key, value]): [string, Json | undefined] => {
    if (isOneOf(maps, key) && isJsonObject(value)) return [key, mapped(value, below)];
    if (isOneOf(compositions, key) && Array.isArray(value)) return [key, value.map(below)];
    return [key, isOneOf(single, key) && value !== undefined ? below(value) : value];
  });
  return change(Object.fromEntries(entries), depth);
}

function without(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
}

function withoutDescriptions(schema: JsonObject): JsonObject {
  return everywhere(schema, (each) => without(each, ['description', 'title', 'examples', '$comment']));
}

/** A definition that no reference names is of no use to anyone. */
function withUsedDefinitions(schema: JsonObject): JsonObject {
  const text = JSON.stringify(without(schema, ['$defs', 'definitions']));
  const used = new Set<string>();
  const follow = (from: string): void => {
    for (const [, name = ''] of from.matchAll(/"#\/(?:\$defs|definitions)\/([^"/]+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      for (const key of ['$defs', 'definitions']) {
        const table = schema[key];
        if (isJsonObject(table) && table[name] !== undefined) follow(JSON.stringify(table[name]));
      }
    }
  };
  follow(text);
  const kept = ['$defs', 'definitions'].flatMap((key) => {
    const table = schema[key];
    const members = isJsonObject(table) ? Object.entries(table).filter(([name]) => used.has(name)) : [];
    return members.length === 0 ? [] : [[key, Object.fromEntries(members)]];
  });
  return { ...without(schema, ['$defs', 'definitions']), ...(Object.fromEntries(kept) as JsonObject) };
}

/** What a reference named may be anything then. */
function withoutDefinitions(schema: JsonObject): JsonObject {
  return everywhere(without(schema, ['$defs', 'definitions']), (each) => without(each, ['$ref']));
}

function collapsed(schema: JsonObject): JsonObject {
  return everywhere(schema, (each, depth) => {
    const isDeepObject = depth >= 3 && each['type'] === 'object';
    return isDeepObject ? { type: 'object' } : each;
  });
}

function withoutCompositions(schema: JsonObject): JsonObject {
  return everywhere(schema, (each) => without(each, compositions));
}
