import { isJsonObject, type Json, type JsonObject, objectAt } from '../protocol/json.ts';
import { isSafePattern } from './safe-pattern.ts';

/** Beyond these nothing is decided, and nothing is wrong: a schema must not be able to hang or exhaust the program. */
const mostChecks = 200_000;
const mostDepth = 100;

/**
 * What is wrong with a value under a JSON Schema, as a sentence about the first place found; undefined when it fits.
 * Knows the keywords that schemas for answers use. What it does not know (formats, remote references, patterns that
 * could take for ever) is not checked.
 */
export function schemaProblem(schema: JsonObject, value: Json): string | undefined {
  return new Check(schema).problem(schema, value, 'The answer', 0);
}

class Check {
  readonly #root: JsonObject;
  #left = mostChecks;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  problem(schema: Json | undefined, value: Json, at: string, depth: number): string | undefined {
    if (schema === false) return `${at} is not allowed`;
    if (!isJsonObject(schema) || --this.#left < 0 || depth > mostDepth) return undefined;
    const reference = schema['$ref'];
    const target = typeof reference === 'string' ? this.#target(reference) : undefined;
    return (
      this.problem(target, value, at, depth + 1) ??
      typeProblem(schema, value, at) ??
      this.#combined(schema, value, at, depth + 1) ??
      this.#inside(schema, value, at, depth + 1)
    );
  }

  /** A local reference: `#`, or a JSON pointer behind it. */
  #target(reference: string): Json | undefined {
    if (!reference.startsWith('#')) return undefined;
    let value: Json | undefined = this.#root;
    for (const part of reference.slice(1).split('/').slice(1)) {
      const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(value)) value = (value as readonly Json[])[Number(key)];
      else value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }
    return value;
  }

  #combined(schema: JsonObject, value: Json, at: string, depth: number): string | undefined {
    const fits = (each: Json | undefined): boolean => this.problem(each, value, at, depth) === undefined;
    const ofAll = firstProblem(listAt(schema, 'allOf'), (each) => this.problem(each, value, at, depth));
    if (ofAll !== undefined) return ofAll;
    const [any, one] = [listAt(schema, 'anyOf'), listAt(schema, 'oneOf')];
    if (any.length > 0 && !any.some(fits)) return `${at} matches none of the ${any.length} schemas of anyOf`;
    if (one.length > 0) {
      const fitting = one.filter(fits).length;
      if (fitting !== 1 && this.#left >= 0)
        return `${at} matches ${fitting} of the ${one.length} schemas of oneOf, not 1`;
    }
    if (schema['not'] !== undefined && this.#left >= 0 && fits(schema['not']) && this.#left >= 0)
      return `${at} matches the schema that "not" forbids`;
    if (schema['if'] === undefined) return undefined;
    return this.problem(fits(schema['if']) ? schema['then'] : schema['else'], value, at, depth);
  }

  #inside(schema: JsonObject, value: Json, at: string, depth: number): string | undefined {
    if (isJsonObject(value)) return this.#members(schema, value, at, depth);
    if (Array.isArray(value)) return this.#elements(schema, value as readonly Json[], at, depth);
    if (typeof value === 'string') return textProblem(schema, value, at);
    return typeof value === 'number' ? numberProblem(schema, value, at) : undefined;
  }

  #members(schema: JsonObject, value: JsonObject, at: string, depth: number): string | undefined {
    const keys = Object.keys(value);
    const missing = listAt(schema, 'required').find((key) => typeof key === 'string' && !Object.hasOwn(value, key));
    if (missing !== undefined) return `${at} has no key ${JSON.stringify(missing)}`;
    const size = sizeProblem(schema, keys.length, ['minProperties', 'maxProperties'], `${at} must have`, 'keys');
    if (size !== undefined) return size;
    const properties = objectAt(schema, 'properties') ?? {};
    // Which keys patterns cover is not checked, so neither is what is left.
    const others = schema['patternProperties'] === undefined ? schema['additionalProperties'] : undefined;
    return firstProblem(keys, (key) => {
      const isNamed = Object.hasOwn(properties, key);
      if (!isNamed && others === false) return `${at} must not have the key ${JSON.stringify(key)}`;
      return this.problem(isNamed ? properties[key] : others, value[key]!, memberAt(at, key), depth);
    });
  }

  #elements(schema: JsonObject, value: readonly Json[], at: string, depth: number): string | undefined {
    const size = sizeProblem(schema, value.length, ['minItems', 'maxItems'], `${at} must have`, 'elements');
    if (size !== undefined) return size;
    if (schema['uniqueItems'] === true && new Set(value.map(canonical)).size < value.length)
      return `${at} contains an element twice`;
    const { items, prefixItems } = schema;
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? schema['additionalItems'] : items;
    return firstProblem(value, (element, i) => {
      const own = i < first.length ? (first as readonly Json[])[i] : rest;
      return this.problem(own, element, `${at === 'The answer' ? 'answer' : at}[${i}]`, depth);
    });
  }
}

/** Asks no further once there is a problem. */
function firstProblem<Each>(
  all: readonly Each[],
  problemOf: (each: Each, index: number) => string | undefined,
): string | undefined {
  return all
    .values()
    .map(problemOf)
    .find((problem) => problem !== undefined);
}

function typeProblem(schema: JsonObject, value: Json, at: string): string | undefined {
  const { type } = schema;
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? (type as readonly Json[]) : [];
  if (types.length > 0 && !types.some((each) => isOfType(each, value)))
    return `${at} must be ${types.join(' or ')}, not ${nameOf(value)}`;
  const choices = Array.isArray(schema['enum']) ? (schema['enum'] as readonly Json[]) : undefined;
  if (choices !== undefined && !choices.some((each) => canonical(each) === canonical(value)))
    return `${at} must be one of ${short(choices.map((each) => JSON.stringify(each)).join(', '))}`;
  const { const: only } = schema;
  if (only !== undefined && canonical(only) !== canonical(value)) return `${at} must be ${short(JSON.stringify(only))}`;
  return undefined;
}

function isOfType(type: Json, value: Json): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number';
  return type === nameOf(value) || !known.has(type);
}

const known: ReadonlySet<Json> = new Set(['null', 'boolean', 'number', 'integer', 'string', 'array', 'object']);

function nameOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function textProblem(schema: JsonObject, value: string, at: string): string | undefined {
  const size = sizeProblem(schema, [...value].length, ['minLength', 'maxLength'], `${at} must have`, 'characters');
  if (size !== undefined) return size;
  const { pattern } = schema;
  if (typeof pattern !== 'string' || !isSafePattern(pattern, value)) return undefined;
  return new RegExp(pattern, 'u').test(value) ? undefined : `${at} must match ${short(pattern)}`;
}

function numberProblem(schema: JsonObject, value: number, at: string): string | undefined {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf } = schema;
  if (typeof minimum === 'number' && value < minimum) return `${at} must be at least ${minimum}`;
  if (typeof maximum === 'number' && value > maximum) return `${at} must be at most ${maximum}`;
  if (typeof above === 'number' && value <= above) return `${at} must be more than ${above}`;
  if (typeof below === 'number' && value >= below) return `${at} must be less than ${below}`;
  if (typeof multipleOf !== 'number' || !(multipleOf > 0)) return undefined;
  const times = value / multipleOf;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times))
    ? undefined
    : `${at} must be a multiple of ${multipleOf}`;
}

function sizeProblem(
  schema: JsonObject,
  size: number,
  [least, most]: readonly [string, string],
  must: string,
  what: string,
): string | undefined {
  const [min, max] = [schema[least], schema[most]];
  if (typeof min === 'number' && size < min) return `${must} at least ${min} ${what}`;
  return typeof max === 'number' && size > max ? `${must} at most ${max} ${what}` : undefined;
}

function listAt(schema: JsonObject, key: string): readonly Json[] {
  const list = schema[key];
  return Array.isArray(list) ? (list as readonly Json[]) : [];
}

function memberAt(at: string, key: string): string {
  const name = /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  return at === 'The answer' ? `answer${name}` : `${at}${name}`;
}

/** The same text for equal values: keys have no order. */
function canonical(value: Json | undefined): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isJsonObject(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

function short(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
