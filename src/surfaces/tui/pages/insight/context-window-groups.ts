import type { Item } from '../../../../protocol/item.ts';
import { arrayAt, isJsonObject, type JsonObject, parseJson, stringAt } from '../../../../protocol/json.ts';
import type { NamedPart } from '../../../views/context/window-parts.ts';
import type { ContextWindowItem } from '../../../views/context/window-view.ts';
import type { ColourRole, Style } from '../../screen/text/style.ts';
import { commandText } from '../../transcript/cells/command-cell.ts';
import { exploredByScript } from '../../transcript/cells/exploring-cell.ts';

export interface ContextWindowGroup {
  readonly kind: ContextGroupKind;
  readonly name: string;
  readonly tokens: number;
  /** Tokens that the provider had cached. Undefined if it reported on none of them. */
  readonly cached?: number;
  readonly items: readonly ContextWindowItem[];
}

const coloured = (name: string, letter: string, colour: ColourRole, weight?: 'dim') => {
  const style: Style = weight === undefined ? { colour } : { colour, weight };
  return { name, letter, style };
};

/** In request order, as far as there is one. */
export const contextGroupLooks = {
  system: coloured('system', 's', 'special'),
  tools: coloured('tools', 't', 'marker'),
  mcp: coloured('MCP', 'm', 'keyword'),
  instructions: coloured('instructions', 'i', 'bad'),
  skills: coloured('skills', 'k', 'comment'),
  pinned: coloured('pinned notes', 'p', 'quote', 'dim'),
  context: coloured('context', 'c', 'bad', 'dim'),
  checkpoint: coloured('checkpoint', 'z', 'special', 'dim'),
  user: coloured('you', 'u', 'good'),
  answers: coloured('answers', 'a', 'accent'),
  reasoning: coloured('reasoning', 'r', 'accent', 'dim'),
  calls: coloured('calls', 'l', 'marker', 'dim'),
  commands: coloured('command output', 'o', 'warn'),
  files: coloured('files read', 'f', 'number'),
  outputs: coloured('other tool output', 'x', 'warn', 'dim'),
  client: coloured('client', 'n', 'string'),
  unknown: coloured('not in the file', '?', 'comment'),
} as const;

export type ContextGroupKind = keyof typeof contextGroupLooks;

/** Puts each item into one group: the groups sum to the total of the window. Calls `rest` after each item. */
export async function groupItems(items: readonly ContextWindowItem[], rest: () => Promise<void>) {
  const found = new Map<string, { readonly kind: ContextGroupKind; readonly items: ContextWindowItem[] }>();
  for (const item of items) {
    const kind = kindOf(item);
    const name = kind === 'mcp' ? `MCP ${serverOf(item.part)}` : contextGroupLooks[kind].name;
    const group = found.get(name) ?? { kind, items: [] };
    group.items.push(item);
    found.set(name, group);
    await rest();
  }
  const order = Object.keys(contextGroupLooks);
  return [...found]
    .map(([name, { kind, items: own }]) => groupOf(kind, name, own))
    .toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || b.tokens - a.tokens);
}

function groupOf(kind: ContextGroupKind, name: string, items: readonly ContextWindowItem[]): ContextWindowGroup {
  const cached = items.flatMap(({ part }) => part.cached ?? []);
  return {
    kind,
    name,
    tokens: items.reduce((total, { part }) => total + part.tokens, 0),
    cached: cached.length === 0 ? undefined : cached.reduce((total, each) => total + each, 0),
    items: items.toSorted((a, b) => b.part.tokens - a.part.tokens),
  };
}

const ofSections: Readonly<Record<string, ContextGroupKind>> = {
  agents_md: 'instructions',
  'capstan.developer_instructions': 'instructions',
  managed_developer_instructions: 'instructions',
  skills: 'skills',
  'capstan.pinned_notes': 'pinned',
};

const readers: ReadonlySet<string> = new Set(['read_file', 'view_image']);
const runners: ReadonlySet<string> = new Set(['exec_command', 'write_stdin', 'shell', 'shell_command', 'local_shell']);

function kindOf(item: ContextWindowItem): ContextGroupKind {
  const { family } = item.part;
  if (family === 'tool') return kindOfOutput(item);
  if (family === 'context') return kindOfContext(item.part);
  if (family === 'tools') return serverOf(item.part) === undefined ? 'tools' : 'mcp';
  if (family === 'model')
    return item.item?.type === 'reasoning' ? 'reasoning' : item.item?.type === 'message' ? 'answers' : 'calls';
  return family === 'instructions' ? 'system' : family;
}

function kindOfContext({ name, section = '' }: NamedPart): ContextGroupKind {
  if (Object.hasOwn(ofSections, section)) return ofSections[section]!;
  if (name.startsWith('skill')) return 'skills';
  if (name === 'user_shell_command') return 'commands';
  return name.startsWith('checkpoint') ? 'checkpoint' : 'context';
}

function kindOfOutput({ part, call }: ContextWindowItem): ContextGroupKind {
  if (serverOf(part) !== undefined) return 'mcp';
  if (readers.has(part.name)) return 'files';
  const script = call && scriptOf(call);
  const explored = script === undefined ? undefined : exploredByScript(script);
  if (explored?.every(({ kind }) => kind === 'read') === true) return 'files';
  return script !== undefined || runners.has(part.name) ? 'commands' : 'outputs';
}

/** The server of an MCP tool named `mcp__<server>__<tool>`. */
const serverOf = ({ name }: NamedPart): string | undefined => /^mcp__(.+?)__/.exec(name)?.[1];
const tellingArguments = ['path', 'query', 'url', 'session_id'] as const;

/** A short label for a call: its command, its file, or the tool with its arguments. */
export function callWords(call: Item): string {
  const script = scriptOf(call);
  if (script !== undefined) return script;
  const [name, given] = [stringAt(call, 'name') ?? call.type, argumentsOf(call)];
  const told = tellingArguments.map((key) => given?.[key]).find((value) => value !== undefined && value !== '');
  return told === undefined ? name : `${name} ${typeof told === 'string' ? told : JSON.stringify(told)}`;
}

function scriptOf(call: Item): string | undefined {
  const given = argumentsOf(call);
  const argv = arrayAt(given, 'command')?.filter((word) => typeof word === 'string');
  if (argv !== undefined && argv.length > 0) return commandText(argv);
  return stringAt(given, 'cmd') ?? stringAt(given, 'command');
}

/** Undefined for arguments that are invalid JSON, as a model may write them. */
function argumentsOf(call: Item): JsonObject | undefined {
  const given = parseJson(stringAt(call, 'arguments') ?? '');
  return isJsonObject(given) ? given : undefined;
}
