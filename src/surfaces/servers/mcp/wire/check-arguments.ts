import { findSchemaMismatch } from '../../../../core/envelope/json-schema.ts';
import { arrayAt, isJsonObject, nestsDeeperThan, objectAt } from '../../../../protocol/json.ts';
import type { Json, JsonObject } from '../../../../protocol/json.ts';
import { nearestWord } from '../../../views/command-line/did-you-mean.ts';

/** Deeper arguments are refused before anything walks through them. */
const deepest = 64;
const namedKeys = 8;
const longestKey = 60;

/** Why a value does not fit the JSON Schema, worded for the model that wrote it; undefined if it fits. */
export async function schemaProblem(schema: JsonObject, value: Json): Promise<string | undefined> {
  if (nestsDeeperThan(deepest, value)) return `It has more than ${deepest} levels.`;
  const problems = problemsAt(schema, value, '');
  if (problems.length > 0) return problems.join(' ');
  const found = await findSchemaMismatch(schema, value);
  return found && `${found.path.length === 0 ? 'The value' : `"${found.path.join('.')}"`} ${found.says}.`;
}

/** Checks the arguments of a tool. Only keys in its schema are allowed, unless the schema decides about others. */
export async function argumentsProblem(schema: JsonObject, args: JsonObject): Promise<string | undefined> {
  const closed = openers.some((key) => schema[key] !== undefined) ? [] : unknownKeys(schema, args, '');
  const all = [...closed, await schemaProblem(schema, args)].filter((problem) => problem !== undefined);
  return all.length === 0 ? undefined : all.join(' ');
}

/** Keywords by which a schema decides about keys that it does not list. */
const openers = 'additionalProperties unevaluatedProperties patternProperties allOf anyOf oneOf $ref'.split(' ');

/** Problems for which the library has worse messages: missing or unknown names, and values of the wrong kind. */
function problemsAt(schema: JsonObject, value: Json, path: string): readonly string[] {
  const type = typeof schema.type === 'string' ? schema.type : undefined;
  const name = path === '' ? 'The value' : `"${path}"`;
  if (type !== undefined && !isOfType(value, type)) return [`${name} must be ${article(type)}, not ${kindOf(value)}.`];
  const choices = arrayAt(schema, 'enum');
  if (choices !== undefined && !isJsonObject(value) && !Array.isArray(value) && !choices.includes(value))
    return [`${name} must be one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}.`];
  if (!isJsonObject(value)) return [];
  const missing = (arrayAt(schema, 'required') ?? []).filter(
    (key) => typeof key === 'string' && !Object.hasOwn(value, key),
  );
  const properties = objectAt(schema, 'properties') ?? {};
  return [
    ...missing.map((key) => `"${join(path, String(key))}" is missing.`),
    ...(schema.additionalProperties === false ? unknownKeys(schema, value, path) : []),
    ...Object.entries(properties).flatMap(([key, inner]) => {
      const member = Object.hasOwn(value, key) ? value[key] : undefined;
      return member === undefined || !isJsonObject(inner) ? [] : problemsAt(inner, member, join(path, key));
    }),
  ];
}

function unknownKeys(schema: JsonObject, value: JsonObject, path: string): readonly string[] {
  const known = Object.keys(objectAt(schema, 'properties') ?? {});
  const unknown = Object.keys(value).filter((key) => !known.includes(key));
  return unknown.slice(0, namedKeys).map((key) => {
    if (key.length > longestKey) return `"${join(path, `${key.slice(0, longestKey)}…`)}" is unknown.`;
    const meant = nearestWord(key, known);
    return `"${join(path, key)}" is unknown${meant === undefined ? '.' : `; did you mean "${meant}"?`}`;
  });
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

function kindOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : article(typeof value);
}

function article(type: string): string {
  if (type === 'null') return type;
  return /^[aeio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function isOfType(value: Json, type: string): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
