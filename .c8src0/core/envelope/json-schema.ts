import type { OutputUnit, Schema, SchemaDraft } from '@cfworker/json-schema';
import type { BoundedPattern, compileBoundedPattern } from '../../base/bounded-pattern.ts';
import { words } from '../config/keys/key-kinds.ts';
import { isJsonObject, mostLevels, nestsDeeperThan, sortedJson } from '../../protocol/json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';

/** A place where a value does not fit a schema. `says` is a sentence without its subject and its full stop. */
export type SchemaMismatch = { readonly path: readonly (string | number)[]; readonly says: string };
/** Limit for the cost of a check, in nanoseconds as measured once. */
const mostWork = 500_000_000;
/** One schema at one place of the value. */
const stepWork = 1000;
/** Per character of a compared value, or of a name that may be missing: each is an error of its own. */
const choiceWork = 5;
const nameWork = 50;
/** Listing the keys of a larger object costs work. */
const manyKeys = 100;
const keyWork = 800;
/** The library reads all inside a schema with its own address twice, so each such level doubles the work. */
const mostAddressLevels = 3;
/** Pattern steps times characters tried, over all patterns. Anything beyond is not checked. */
const mostPatternWork = 10_000_000;
/** Compiling one pattern step costs as much as matching so many characters. */
const readingWork = 1000;
const longestTried = 5000;

/**
 * Finds where a value does not fit a JSON Schema; both may be untrusted. Undefined if it fits, nests too deeply, takes
 * too long or recurses endlessly. Not checked: formats, external or dangling references, non-linear patterns.
 */
export async function findSchemaMismatch(schema: JsonObject, value: Json): Promise<SchemaMismatch | undefined> {
  if (nestsDeeperThan(mostLevels, schema) || nestsDeeperThan(mostLevels, value)) return undefined;
  try {
    const { guarded, instance, draft } = await guard(schema, value);
    const { validate } = await import('@cfworker/json-schema');
    const { errors } = validate(instance, guarded.root, draft, guarded.lookup);
    return errors.length === 0 ? undefined : mismatchFrom(errors, guarded, instance);
  } catch (error) {
    // Endless recursion ends with a stack overflow.
    if (error instanceof OutOfWork || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Pointer to the first keyword that `findSchemaMismatch` ignores, besides formats and unknown keywords. */
export async function firstUncheckedKeyword(schema: JsonObject): Promise<string | undefined> {
  if (nestsDeeperThan(mostLevels, schema)) return '#';
  const { guarded, occurring } = await guard(schema, null);
  const tried = new Set<Json>();
  const isTried = (pattern: Json): boolean => {
    if (typeof pattern === 'string' && !tried.has(pattern) && occurring.matches(pattern, '') !== undefined)
      tried.add(pattern);
    return tried.has(pattern);
  };
  for (const [given, kept] of guarded.nodes) {
    const { pattern, patternProperties = null, __absolute_uri__: address } = given;
    const place = ['#', ...keysOf(typeof address === 'string' ? address.replace(/^[^#]*/, '') : '')].join('/');
    const dropped = Object.keys(given).find((key) => isJudged(key) && kept[key] === undefined);
    if (dropped !== undefined) return `${place}/${dropped}`;
    if (pattern !== undefined && !isTried(pattern)) return `${place}/pattern`;
    const key = Object.keys(isJsonObject(patternProperties) ? patternProperties : {}).find((each) => !isTried(each));
    if (key !== undefined) return `${place}/patternProperties/${key}`;
  }
  return undefined;
}

async function guard(schema: JsonObject, value: Json) {
  const [{ dereference }, read] = await Promise.all([import('@cfworker/json-schema'), patternReader(schema)]);
  const root = copyOf(schema) as Schema;
  const targets: Record<string, Schema | boolean> = {};
  try {
    if (addressLevels(root as JsonObject) <= mostAddressLevels) dereference(root, targets);
  } catch {
    // An invalid or duplicate address. References to schemas not reached by then lead nowhere.
  }
  const work = new Work();
  const draft = draftOf(schema);
  const instance = copyOf(value, work.countingKeys);
  const occurring = new Occurring(instance, read, work);
  return { guarded: new GuardedSchema(root, { targets, draft, work, occurring }), occurring, instance, draft };
}

function addressLevels(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members: readonly (Json | undefined)[] = Object.values(value);
  const below = members.reduce((most: number, each) => Math.max(most, addressLevels(each)), 0);
  return below + (isJsonObject(value) && (value['$id'] || value['id']) ? 1 : 0);
}

function draftOf({ $schema }: JsonObject): SchemaDraft {
  if (typeof $schema !== 'string') return '2020-12';
  const [, draft] = /draft-0?([4-7])\b/.exec($schema) ?? [];
  if (draft !== undefined) return draft === '4' ? '4' : '7';
  return $schema.includes('2019-09') ? '2019-09' : '2020-12';
}

class OutOfWork extends Error {}

class Work {
  #left = mostWork;

  spend(work: number): void {
    this.#left -= work;
    if (this.#left < 0) throw new OutOfWork();
  }

  readonly countingKeys = (object: JsonObject): JsonObject => {
    const keys = Object.keys(object);
    if (keys.length < manyKeys) return object;
    return new Proxy(object, {
      ownKeys: () => {
        this.spend(keys.length * keyWork);
        return keys;
      },
    });
  };
}

/** The library writes to schemas, finds keys of prototypes and fails on lone surrogates, so it gets a safe copy. */
function copyOf(value: Json, made = (object: JsonObject): JsonObject => object): Json {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map((each: Json) => copyOf(each, made));
  if (!isJsonObject(value)) return value;
  const copy = Object.create(null) as Record<string, Json>;
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) copy[key.toWellFormed()] = copyOf(member, made);
  }
  return made(copy);
}

async function patternReader(schema: JsonObject): Promise<typeof compileBoundedPattern | undefined> {
  const isPattern = (key: string): boolean => key === 'pattern' || key === 'patternProperties';
  return hasKey(schema, isPattern) ? (await import('../../base/bounded-pattern.ts')).compileBoundedPattern : undefined;
}

function hasKey(value: Json | undefined, isMeant: (key: string) => boolean): boolean {
  if (Array.isArray(value)) return value.some((each: Json) => hasKey(each, isMeant));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, member]) => isMeant(key) || hasKey(member, isMeant));
}

/** Collects from the value what conditions of a schema are about: texts, keys and lists. */
class Occurring {
  readonly #texts = new Map<string, number>();
  readonly #lists: (readonly Json[])[] = [];
  readonly keys = new Set<string>();
  readonly #read: typeof compileBoundedPattern | undefined;
  readonly #work: Work;
  #patternWork = mostPatternWork;
  /** The last pattern tried. Only one is kept, since each may hold some megabytes of learnt state. */
  #last?: { readonly text: string; readonly pattern?: BoundedPattern };

  constructor(value: Json, read: typeof compileBoundedPattern | undefined, work: Work) {
    this.#read = read;
    this.#work = work;
    this.#collect(value);
  }

  #collect(value: Json): void {
    if (typeof value === 'string') this.#texts.set(value, [...value].length);
    else if (Array.isArray(value)) {
      this.#lists.push(value);
      for (const each of value as readonly Json[]) this.#collect(each);
    } else if (isJsonObject(value)) {
      for (const [key, member = null] of Object.entries(value)) {
        this.keys.add(key);
        this.#collect(key);
        this.#collect(member);
      }
    }
  }

  texts(isMeant: (text: string, length: number) => boolean): readonly string[] {
    this.#work.spend(this.#texts.size * choiceWork * 10);
    return [...this.#texts].filter(([text, length]) => isMeant(text, length)).map(([text]) => text);
  }

  repeating(): readonly Json[] {
    return this.#lists.filter((list) => {
      const texts = list.map((each) => {
        const text = sortedJson(each);
        this.#work.spend(text.length * choiceWork);
        return text;
      });
      return new Set(texts).size < list.length;
    });
  }

  /** Undefined if the pattern cannot be tried, or not on this text. */
  matches(pattern: string, text: string): boolean | undefined {
    this.#work.spend(keyWork);
    const read = this.#pattern(pattern);
    if (read === undefined || text.length > longestTried) return undefined;
    this.#patternWork -= read.steps * (text.length + 1);
    return this.#patternWork < 0 ? undefined : read.matches(text);
  }

  #pattern(text: string): BoundedPattern | undefined {
    if (this.#last?.text === text) return this.#last.pattern;
    const read = this.#patternWork > 0 ? this.#read?.(text) : undefined;
    const pattern = read === undefined || 'problem' in read ? undefined : read;
    this.#patternWork -= readingWork * (pattern?.steps ?? text.length);
    this.#last = { text, ...(pattern === undefined ? {} : { pattern }) };
    return pattern;
  }
}

const setOf = (names: string): ReadonlySet<string> => new Set(words(names));
const withSchema = setOf(`
  additionalItems additionalProperties contains else if not propertyNames then unevaluatedItems unevaluatedProperties
`);
const withSchemas = setOf('allOf anyOf oneOf prefixItems');
const withNumber = setOf(`
  exclusiveMaximum exclusiveMinimum maxContains maxItems maxProperties maximum
  minContains minItems minProperties minimum
`);
const withOtherForms = setOf(`
  $dynamicRef $recursiveRef $ref const dependencies dependentRequired dependentSchemas enum items multipleOf properties
  required type
`);

function isJudged(key: string): boolean {
  return [withSchema, withSchemas, withNumber, withOtherForms].some((keys) => keys.has(key));
}

const types: ReadonlySet<Json> = setOf('null boolean number integer string array object');
type Node = Schema | boolean;

/** The schema for the library, without keywords that it cannot check safely: lists of values replace conditions. */
class GuardedSchema {
  readonly root: Node;
  readonly lookup: Record<string, Node> = {};
  readonly #source: GuardedSource;
  readonly nodes = new Map<JsonObject, Schema>();
  readonly #conditions = new Map<string, Schema | undefined>();
  readonly #wanted = new Set<string>();
  readonly #counting: object;

  constructor(root: Json, source: GuardedSource) {
    this.#source = source;
    this.#counting = {
      // The library reads `format` at each of its steps, so reading it counts the work.
      get format(): undefined {
        source.work.spend((this as unknown as { readonly work: number }).work);
        return undefined;
      },
    };
    this.root = this.#node(root);
    for (const target of this.#wanted) this.lookup[target] = this.#node(source.targets[target]);
  }

  at(keywordLocation: string): Schema | undefined {
    let node: unknown = this.root;
    for (const key of keysOf(keywordLocation).slice(0, -1)) {
      const { [key]: inner } = (node ?? {}) as Record<string, unknown>;
      node = key === '$ref' && typeof inner === 'string' ? this.lookup[inner] : inner;
    }
    return isJsonObject(node) ? node : undefined;
  }

  #node(given: Json | undefined): Node {
    if (typeof given === 'boolean') return given;
    if (!isJsonObject(given)) return true;
    const known = this.nodes.get(given);
    if (known !== undefined) return known;
    const node = this.#guarded(given);
    this.nodes.set(given, node);
    return node;
  }

  #guarded(given: JsonObject): Schema {
    const kept: Schema = {};
    for (const [key, value = null] of Object.entries(given)) {
      const right = this.#kept(key, value);
      if (right !== undefined) kept[key] = right;
    }
    const properties = this.#properties(given);
    if (properties !== undefined) kept.properties = properties;
    const conditions = this.#conditionsOf(given);
    if (conditions.length > 0) kept.allOf = [...(kept.allOf ?? []), ...conditions];
    // Without it, the library accepts a list with no matching element.
    if (kept.maxContains !== undefined) kept.minContains ??= 1;
    const { __absolute_ref__: target, enum: choices, const: only, required, dependentRequired, dependencies } = given;
    if (typeof target === 'string' && this.#source.targets[target] !== undefined) {
      kept.$ref = target;
      this.#wanted.add(target);
    }
    const values = JSON.stringify([choices, only]).length * choiceWork;
    const names = JSON.stringify([required, dependentRequired, dependencies, Object.keys(properties ?? {})]).length;
    return this.#made(kept, values + names * nameWork);
  }

  #made(keywords: Schema, work = 0): Schema {
    return Object.assign(Object.create(this.#counting) as Schema, keywords, { work: stepWork + work });
  }

  #kept(key: string, value: Json): unknown {
    const list = Array.isArray(value) ? (value as readonly Json[]) : undefined;
    const nodes = withSchemas.has(key) || key === 'items' ? list?.map((each) => this.#node(each)) : undefined;
    const isSchema = isJsonObject(value) || typeof value === 'boolean';
    if (withSchema.has(key)) return isSchema ? this.#node(value) : undefined;
    if (withSchemas.has(key)) return nodes?.length === 0 ? undefined : nodes;
    if (withNumber.has(key)) return typeof value === 'number' ? value : this.#openLimit(key, value);
    switch (key) {
      case 'const':
        return value;
      case 'enum':
        return list;
      case 'type':
        return (list ?? [value]).every((type) => types.has(type)) && list?.length !== 0 ? value : undefined;
      case 'multipleOf':
        return typeof value === 'number' && value > 0 ? value : undefined;
      case 'required':
        return namesIn(value);
      case 'items':
        return nodes ?? (isSchema ? this.#node(value) : undefined);
      case 'dependentRequired':
        return mapped(value, (each) => namesIn(each) ?? []);
      case 'dependentSchemas':
        return mapped(value, (each) => this.#node(each));
      case 'dependencies':
        return mapped(value, (each) => namesIn(each) ?? this.#node(each));
      default:
        return undefined;
    }
  }

  /** In draft 4 a boolean says whether the limit itself is excluded. */
  #openLimit(key: string, value: Json): Json | undefined {
    return this.#source.draft === '4' && key.startsWith('exclusive') && typeof value === 'boolean' ? value : undefined;
  }

  /** Replaces key patterns by the keys that occur and match. A key that may match gets any value. */
  #properties({ properties, patternProperties = null }: JsonObject): Record<string, Node> | undefined {
    const own = mapped(properties ?? null, (each) => this.#node(each));
    if (!isJsonObject(patternProperties)) return own;
    const all = own ?? (Object.create(null) as Record<string, Node>);
    const { occurring } = this.#source;
    for (const [pattern, schema] of Object.entries(patternProperties)) {
      for (const key of occurring.keys) {
        const isMatch = occurring.matches(pattern, key);
        if (isMatch === false) continue;
        const node = isMatch === true ? this.#node(schema) : true;
        this.#source.work.spend(stepWork);
        all[key] = all[key] === undefined ? node : this.#made({ allOf: [all[key], node] as Schema[] });
      }
    }
    return all;
  }

  /** The library would match by backtracking, and compare all pairs of list elements. */
  #conditionsOf({ pattern, minLength, maxLength, uniqueItems }: JsonObject): readonly Schema[] {
    const { occurring } = this.#source;
    const conditions: Schema[] = [];
    const add = (key: string, says: string, unmet: () => readonly Json[]): void => {
      const condition = this.#condition(key, says, unmet);
      if (condition !== undefined) conditions.push(condition);
    };
    if (typeof pattern === 'string')
      add(`match ${pattern}`, `must match ${short(pattern)}`, () =>
        occurring.texts((text) => occurring.matches(pattern, text) === false),
      );
    if (typeof minLength === 'number')
      add(`least ${minLength}`, `must have at least ${minLength} characters`, () =>
        occurring.texts((_, length) => length < minLength),
      );
    if (typeof maxLength === 'number')
      add(`most ${maxLength}`, `must have at most ${maxLength} characters`, () =>
        occurring.texts((_, length) => length > maxLength),
      );
    if (uniqueItems === true) add('unique', 'contains an element twice', () => occurring.repeating());
    return conditions;
  }

  #condition(key: string, says: string, unmet: () => readonly Json[]): Schema | undefined {
    if (!this.#conditions.has(key)) {
      const values = unmet();
      const none = (): Schema => this.#made({ enum: [...values] }, JSON.stringify(values).length * choiceWork);
      this.#conditions.set(key, values.length === 0 ? undefined : this.#made({ not: none(), says }));
    }
    return this.#conditions.get(key);
  }
}

interface GuardedSource {
  readonly targets: Readonly<Record<string, Json>>;
  readonly draft: SchemaDraft;
  readonly work: Work;
  readonly occurring: Occurring;
}

function namesIn(value: Json | undefined): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((each: Json) => typeof each === 'string') : undefined;
}

function mapped<Each>(value: Json, each: (member: Json | undefined) => Each): Record<string, Each> | undefined {
  if (!isJsonObject(value)) return undefined;
  const all = Object.create(null) as Record<string, Each>;
  for (const [key, member] of Object.entries(value)) all[key] = each(member);
  return all;
}

/** Keywords whose errors only say that a keyword below them failed. */
const outer = setOf(`
  $ref additionalItems additionalProperties allOf dependentSchemas if items prefixItems properties unevaluatedItems
  unevaluatedProperties
`);

function mismatchFrom(units: readonly OutputUnit[], schema: GuardedSchema, instance: Json): SchemaMismatch {
  const first = units.findIndex(({ keyword }) => !outer.has(keyword));
  const at = first === -1 ? units.length - 1 : first;
  const found = units[at]!;
  // Errors about single elements precede the error that too few of them match, which is the one to report.
  const list = units.find(
    ({ keyword, keywordLocation }) =>
      keyword === 'minContains' &&
      found.keywordLocation.startsWith(keywordLocation.replace(/minContains$/, 'contains/')),
  );
  const { keyword, keywordLocation, instanceLocation, error } = list ?? found;
  const { path, value } = placeOf(instance, instanceLocation);
  const isOther = /^(?:additional|unevaluated)Properties$/.test(units[at - 1]?.keyword ?? '');
  if (keyword === 'false') return isOther ? forbiddenKey(path) : { path, says: 'is not allowed' };
  if (keyword === 'propertyNames') return forbiddenKey(placeOf(instance, units[at + 1]!.instanceLocation).path);
  const node = schema.at(keywordLocation);
  const words = Object.hasOwn(sentences, keyword) && node !== undefined ? sentences[keyword] : undefined;
  return { path, says: short(words?.(node!, value, error) ?? plain(error)) };
}

function forbiddenKey(path: SchemaMismatch['path']): SchemaMismatch {
  return { path: path.slice(0, -1), says: `must not have the key ${JSON.stringify(path.at(-1))}` };
}

const sentences: Readonly<Record<string, (schema: Schema, value: Json, error: string) => string>> = {
  type: ({ type }, value) => `must be ${[type].flat().join(' or ')}, not ${nameOf(value)}`,
  enum: ({ enum: choices = [] }) => `must be one of ${choices.map((each) => JSON.stringify(each)).join(', ')}`,
  const: ({ const: only }) => `must be ${JSON.stringify(only)}`,
  not: ({ says }) => (typeof says === 'string' ? says : 'matches the schema that "not" forbids'),
  anyOf: ({ anyOf = [] }) => `matches none of the ${anyOf.length} schemas of anyOf`,
  oneOf: ({ oneOf = [] }, _, error) =>
    `matches ${/\((\d+) matches\)/.exec(error)?.[1] ?? 'not one'} of the ${oneOf.length} schemas of oneOf, not 1`,
  required: ({ required = [] }, value) =>
    `has no key ${JSON.stringify(required.find((key) => !isJsonObject(value) || !Object.hasOwn(value, key)))}`,
  minProperties: ({ minProperties }) => `must have at least ${minProperties} keys`,
  maxProperties: ({ maxProperties }) => `must have at most ${maxProperties} keys`,
  minItems: ({ minItems }) => `must have at least ${minItems} elements`,
  maxItems: ({ maxItems }) => `must have at most ${maxItems} elements`,
  contains: () => 'has no element that matches "contains"',
  minContains: ({ minContains }) => `must have at least ${String(minContains)} elements that match "contains"`,
  maxContains: ({ maxContains }) => `must have at most ${String(maxContains)} elements that match "contains"`,
  minimum: ({ minimum, exclusiveMinimum: isOpen }) =>
    `must be ${isOpen === true ? 'more than' : 'at least'} ${minimum}`,
  maximum: ({ maximum, exclusiveMaximum: isOpen }) => `must be ${isOpen === true ? 'less than' : 'at most'} ${maximum}`,
  exclusiveMinimum: ({ exclusiveMinimum }) => `must be more than ${String(exclusiveMinimum)}`,
  exclusiveMaximum: ({ exclusiveMaximum }) => `must be less than ${String(exclusiveMaximum)}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${multipleOf}`,
};

const plain = (error: string): string => error.replace(/^(?:Instance|Array) /, '').replace(/\.$/, '');

function nameOf(value: Json): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function placeOf(instance: Json, location: string): { readonly path: SchemaMismatch['path']; readonly value: Json } {
  let value: Json = instance;
  const path = keysOf(location).map((key) => {
    const place = Array.isArray(value) ? Number(key) : key;
    value = (value as JsonObject | null)?.[place] ?? null;
    return place;
  });
  return { path, value };
}

function keysOf(location: string): readonly string[] {
  const [, ...keys] = location.split('/');
  return keys.map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
}

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
