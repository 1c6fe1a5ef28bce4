import { textHash } from '../../base/digest.ts';
import { withoutInvisible } from '../../base/invisible-characters.ts';
import { defined } from '../../base/objects.ts';
import type { McpServerConfig } from '../../core/config/servers/mcp-servers.ts';
import { isChangedMcpTool, mcpToolDigest } from '../../core/policy/grants/grants.ts';
import type { McpTool, McpToolHints } from '../../ports/mcp-servers.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../protocol/json.ts';

/** A tool as listed by its server, cleaned. This form is stored on disk. */
export interface ListedTool {
  readonly tool: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly hints: McpToolHints;
}

export interface ServerListing {
  readonly tools: readonly ListedTool[];
  readonly instructions?: string;
  readonly hasResources: boolean;
}

const mostTools = 512;
const mostNameCharacters = 128;
const mostDescriptionCharacters = 1024;

/** The usable part of a server's list; malformed entries are left out. */
export function parseServerListing(tools: readonly Json[], about: Omit<ServerListing, 'tools'>): ServerListing {
  const read = tools.slice(0, mostTools).flatMap(readTool);
  const first = new Map(read.toReversed().map((tool) => [tool.tool, tool]));
  const instructions = cleanWords(about.instructions ?? '');
  return {
    tools: [...first.values()].toSorted((a, b) => (a.tool < b.tool ? -1 : 1)),
    ...(instructions !== '' && { instructions }),
    hasResources: about.hasResources,
  };
}

function readTool(value: Json): readonly ListedTool[] {
  if (!isJsonObject(value)) return [];
  const tool = stringAt(value, 'name') ?? '';
  if (tool === '' || tool.length > mostNameCharacters || isForApps(value['_meta'])) return [];
  const description = cleanWords(stringAt(value, 'description') ?? stringAt(value, 'title') ?? '');
  return [{ tool, description, parameters: cleanSchema(value['inputSchema']), hints: hintsOf(value['annotations']) }];
}

function isForApps(meta: Json | undefined): boolean {
  const interfaces = isJsonObject(meta) ? arrayAt(objectAt(meta, 'ui'), 'visibility') : undefined;
  return interfaces !== undefined && !interfaces.includes('model');
}

function hintsOf(annotations: Json | undefined): McpToolHints {
  const flag = (name: string): boolean | undefined => {
    const value = isJsonObject(annotations) ? annotations[name] : undefined;
    return typeof value === 'boolean' ? value : undefined;
  };
  return defined({
    readOnly: flag('readOnlyHint'),
    destructive: flag('destructiveHint'),
    idempotent: flag('idempotentHint'),
    openWorld: flag('openWorldHint'),
  });
}

const cleanWords = (text: string): string =>
  cutCharacters(withoutInvisible(text.replace(/\r\n?/g, '\n')).trim(), mostDescriptionCharacters);

export function cutCharacters(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, Math.max(0, most - 1)).join('')}…`;
}

export function offeredTools(
  servers: readonly { readonly config: McpServerConfig; readonly listing: ServerListing }[],
): readonly McpTool[] {
  const all = servers.flatMap(({ config, listing }) =>
    listing.tools
      .filter(({ tool }) => isToolEnabled(config, tool))
      .map((listed) => ({ ...listed, server: config.name, config })),
  );
  const names = mcpToolNames(all);
  const taken = new Set<string>();
  return all
    .filter((each) => {
      // A server can craft two names with one digest; it only loses one of these tools.
      const name = names.get(each) ?? '';
      return !taken.has(name) && taken.add(name);
    })
    .map((each): McpTool => {
      const { server, tool, description, parameters, hints, config } = each;
      const name = names.get(each) ?? tool;
      const described = { description, parameters };
      const spec = { type: 'function', name, description, strict: false, parameters };
      const approval = approvalOf(config, tool, () => mcpToolDigest({ described, hints }));
      const isParallel = config.isParallel || hints.readOnly === true;
      return { server, tool, name, spec, described, hints, ...approval, isParallel };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function approvalOf(
  { approval }: McpServerConfig,
  tool: string,
  digestNow: () => string,
): Pick<McpTool, 'approval' | 'isApprovedAsDescribed' | 'isChanged'> {
  const own = Object.hasOwn(approval.tools, tool) ? approval.tools[tool] : undefined;
  if (own === undefined) return { approval: approval.default };
  if (own.mode !== 'approve' || own.digest === undefined) return { approval: own.mode };
  const now = digestNow();
  if (own.digest === now) return { approval: own.mode, isApprovedAsDescribed: true };
  return { approval: approval.default, ...(isChangedMcpTool(own.digest, now) ? { isChanged: true } : {}) };
}

export const isToolEnabled = ({ enabledTools, disabledTools }: McpServerConfig, tool: string): boolean =>
  (enabledTools === undefined || enabledTools.includes(tool)) && !disabledTools.includes(tool);
/** Larger schemas are reduced step by step. */
const mostBytes = 5000;
const mostDepth = 16;
const mostMembers = 200;

/**
 * A tool's parameters in a form that providers accept and the model can afford: an object with properties, without
 * boolean schemas, unused definitions and parts nested too deep to be of use.
 */
export function cleanSchema(given: unknown): JsonObject {
  const schema = isJsonObject(given) ? (plain(cleaned(given, 0)) as JsonObject) : {};
  const steps = [withUsedDefinitions, withoutDescriptions, withoutDefinitions, collapsed, withoutCompositions];
  let small: JsonObject = { ...schema, type: 'object', properties: objectAt(schema, 'properties') ?? {} };
  for (const [at, step] of steps.entries()) if (at === 0 || bytesOf(small) > mostBytes) small = step(small);
  return bytesOf(small) > mostBytes ? { type: 'object', properties: {} } : small;
}

const bytesOf = (value: Json): number => Buffer.byteLength(JSON.stringify(value));
const compositions = ['anyOf', 'oneOf', 'allOf'] as const;
const maps = ['properties', '$defs', 'definitions', 'patternProperties'] as const;
const single = ['items', 'additionalProperties', 'not'] as const;

/** Cleans one schema of a tree. Keeps the order of members. */
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

/** Removes invisible characters from names and texts. */
function plain(value: Json): Json {
  if (typeof value === 'string') return withoutInvisible(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [withoutInvisible(key), plain(member!)]));
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

const isOneOf = <const Name extends string>(names: readonly Name[], key: string): key is Name =>
  (names as readonly string[]).includes(key);

function mapped(value: JsonObject, change: (member: Json) => Json): JsonObject {
  const members = Object.entries(value).slice(0, mostMembers);
  return Object.fromEntries(members.flatMap(([key, member]) => (member === undefined ? [] : [[key, change(member)]])));
}

/** Applies to every schema of the tree, members before their parents. */
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

const without = (schema: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key)));
const withoutDescriptions = (schema: JsonObject): JsonObject =>
  everywhere(schema, (each) => without(each, ['description', 'title', 'examples', '$comment']));

const definitions = ['$defs', 'definitions'];

function withUsedDefinitions(schema: JsonObject): JsonObject {
  const others = without(schema, definitions);
  const used = new Set<string>();
  const follow = (from: string): void => {
    for (const [, name = ''] of from.matchAll(/"#\/(?:\$defs|definitions)\/([^"/]+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      for (const key of definitions) {
        const found = objectAt(schema, key)?.[name];
        if (found !== undefined) follow(JSON.stringify(found));
      }
    }
  };
  follow(JSON.stringify(others));
  const kept = definitions.flatMap((key) => {
    const members = Object.entries(objectAt(schema, key) ?? {}).filter(([name]) => used.has(name));
    return members.length === 0 ? [] : [[key, Object.fromEntries(members)]];
  });
  return { ...others, ...(Object.fromEntries(kept) as JsonObject) };
}

/** References to removed definitions become schemas that accept anything. */
const withoutDefinitions = (schema: JsonObject): JsonObject =>
  everywhere(without(schema, definitions), (each) => without(each, ['$ref']));
const collapsed = (schema: JsonObject): JsonObject =>
  everywhere(schema, (each, depth) => (depth >= 3 && each['type'] === 'object' ? { type: 'object' } : each));
const withoutCompositions = (schema: JsonObject): JsonObject =>
  everywhere(schema, (each) => without(each, compositions));
type NamedMcpTool = Pick<McpTool, 'server' | 'tool'>;
const mostCharacters = 64;
const digits = 12;

/**
 * The name of each tool for the model, independent of their order. Tools whose names collide both get a digest of their
 * real names, and so does a name that is too long.
 */
export function mcpToolNames<Named extends NamedMcpTool>(tools: readonly Named[]): ReadonlyMap<Named, string> {
  const plain = new Map(tools.map((tool) => [tool, serverPrefix(tool.server) + clean(tool.tool)]));
  const counts = new Map<string, number>();
  for (const name of plain.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(
    [...plain].map(([tool, name]) => {
      const isFine = counts.get(name) === 1 && name.length <= mostCharacters;
      return [tool, isFine ? name : `${name.slice(0, mostCharacters - digits - 1)}_${digestOf(tool)}`];
    }),
  );
}

export const serverPrefix = (server: string): string => `mcp__${clean(server)}__`;
const clean = (part: string): string => part.replace(/[^A-Za-z0-9_]/g, '_') || '_';
const digestOf = ({ server, tool }: NamedMcpTool): string => textHash(JSON.stringify([server, tool]), digits / 2);
