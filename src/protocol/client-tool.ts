import { arrayAt, isJsonObject, type Json, type JsonObject, stringAt } from './json.ts';

/** A tool that a client defines and answers, in Codex's form. */
export interface ClientFunction {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly inputSchema: JsonObject;
  readonly deferLoading?: true;
}

/** A group of tools. The model's names for them are the group's name, `__` and their own. */
export interface ClientNamespace {
  readonly type: 'namespace';
  readonly name: string;
  readonly description: string;
  readonly tools: readonly ClientFunction[];
}

export type ClientTool = ClientFunction | ClientNamespace;

export interface CallableTool extends Omit<ClientFunction, 'type' | 'name'> {
  /** The model's name. */
  readonly name: string;
  /** The client's name. */
  readonly tool: string;
  readonly namespace?: Pick<ClientNamespace, 'name' | 'description'>;
}

const namePattern = /^[A-Za-z0-9_-]+$/;
const longestName = 64;
const longestDescription = 1024;
const mostTools = 128;
const mostCharacters = 256 * 1024;

/** Reads tools from a client or a file, or returns the fault as a sentence. */
export function readClientTools(value: unknown): readonly ClientTool[] | string {
  if (!Array.isArray(value)) return 'The tools must be a list.';
  const read: ClientTool[] = [];
  for (const [at, each] of (value as readonly unknown[]).entries()) {
    const one = readTool(each);
    if (typeof one === 'string') return `Tool ${at + 1} is not valid: ${one}`;
    read.push(one);
  }
  const all = callableTools(read);
  if (all.length > mostTools) return `There are ${all.length} tools, and the limit is ${mostTools}.`;
  if (JSON.stringify(read).length > mostCharacters) return `The tools take more than ${mostCharacters} characters.`;
  const names = all.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `There are two tools named ${twice}.`;
  const long = names.find((name) => name.length > longestName);
  if (long !== undefined) return `The name ${long} has ${long.length} characters, and the limit is ${longestName}.`;
  return read;
}

function readTool(value: unknown): ClientTool | string {
  if (!isJsonObject(value)) return 'it is not an object.';
  // Older clients send no type.
  if (value['type'] === undefined || value['type'] === 'function') return readFunction(value);
  if (value['type'] !== 'namespace') return 'its type must be "function" or "namespace".';
  const named = readNamed(value);
  if (typeof named === 'string') return named;
  const tools: ClientFunction[] = [];
  for (const each of arrayAt(value, 'tools') ?? []) {
    const one = readFunction(each);
    if (typeof one === 'string') return one;
    tools.push(one);
  }
  if (tools.length === 0) return 'a namespace needs tools.';
  return { type: 'namespace', ...named, tools };
}

function readFunction(value: Json): ClientFunction | string {
  if (!isJsonObject(value)) return 'it is not an object.';
  const named = readNamed(value);
  if (typeof named === 'string') return named;
  const schema = value['inputSchema'] ?? value['input_schema'];
  if (!isJsonObject(schema)) return `${named.name} needs an inputSchema, a JSON Schema of an object.`;
  const isDeferred = (value['deferLoading'] ?? value['defer_loading']) === true;
  return { type: 'function', ...named, inputSchema: schema, ...(isDeferred ? { deferLoading: true } : {}) };
}

function readNamed(value: JsonObject): Pick<ClientFunction, 'name' | 'description'> | string {
  const [name, description] = [stringAt(value, 'name'), stringAt(value, 'description')];
  if (name === undefined || description === undefined) return 'it needs a name and a description.';
  if (!namePattern.test(name))
    return `its name ${JSON.stringify(name.slice(0, 80))} must have only letters, digits, _ and -.`;
  // Reserved for tools of MCP servers.
  if (name === 'mcp' || name.startsWith('mcp__')) return 'its name must not begin with "mcp__".';
  if (description.length > longestDescription)
    return `the description of ${name} has more than ${longestDescription} characters.`;
  return { name, description };
}

export function callableTools(tools: readonly ClientTool[]): readonly CallableTool[] {
  return tools.flatMap((each): readonly CallableTool[] => {
    if (each.type === 'function') return [callableTool(each, each.name)];
    const namespace = { name: each.name, description: each.description };
    return each.tools.map((tool) => ({ ...callableTool(tool, `${each.name}__${tool.name}`), namespace }));
  });
}

function callableTool({ type: _type, name: tool, ...rest }: ClientFunction, name: string): CallableTool {
  return { ...rest, name, tool };
}
