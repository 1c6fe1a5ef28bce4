import { between, withEnds } from './between-tags.ts';
import { type Permissions, readPermissions, withGranted, withPrefixes } from './permissions-reader.ts';

/**
 * A reader of context messages that knows the tags and the words in them, and nothing of the code that writes them: what
 * it learns is what a model could learn.
 */
export interface WorldFacts {
  /** The guidance in force by the newest switch of models; absent: the instructions at the start of the request. */
  guidance?: string;
  permissions?: Permissions;
  mode?: { readonly name: string; readonly text: string };
  realtime?: true;
  personality?: string;
  developer?: string;
  apps?: true;
  plugins?: true;
  /** Groups of deferred tools with what is said of them, in the order of their names. */
  deferred?: Readonly<Record<string, string>>;
  /** By name, and how many are not listed. */
  skills?: {
    readonly listed: Readonly<Record<string, { readonly description: string; readonly path: string }>>;
    readonly left: number;
  };
  memory?: string;
  /** Instructions of MCP servers, and the text about the servers. */
  mcpInstructions?: string;
  mcpServers?: string;
  session?: string;
  managed?: string;
  instructions?: { readonly directory?: string; readonly text: string };
  pinned?: readonly string[];
  /** Number, command and time of each. */
  sessions?: readonly string[];
  /** Path, role and how each stands. */
  agents?: readonly string[];
  /** By tag. A list that is empty is not there. */
  environment: Record<string, string | readonly string[]>;
}

export interface Part {
  readonly role: string;
  readonly text: string;
}

interface Family {
  readonly role: 'developer' | 'user';
  readonly opening: string;
  readonly read: (facts: WorldFacts, text: string) => void;
}

/** The facts that a reader of all of these knows in the end. Texts that are not about the world teach nothing. */
export function readWorld(parts: readonly Part[]): WorldFacts {
  const facts: WorldFacts = { environment: {} };
  for (const part of parts) familyOf(part)?.read(facts, part.text.replaceAll('\r\n', '\n').toWellFormed());
  return facts;
}

/** True if a text tells something about the world. */
export function isWorldText(part: Part): boolean {
  return familyOf(part) !== undefined;
}

/** The parts of all messages of a request that are not the model's. */
export function partsOf(input: unknown): readonly Part[] {
  const items = input as readonly { readonly type: string; readonly role?: string; readonly content?: unknown }[];
  return items.flatMap(({ type, role, content }) =>
    type === 'message' && (role === 'developer' || role === 'user') && Array.isArray(content)
      ? content.flatMap(({ text }) => (typeof text === 'string' ? [{ role, text }] : []))
      : [],
  );
}

function familyOf({ role, text }: Part): Family | undefined {
  return families.find((family) => family.role === role && text.startsWith(family.opening));
}

const families: readonly Family[] = [
  { role: 'developer', opening: '<model_switch>', read: readSwitch },
  { role: 'developer', opening: '<permissions instructions>', read: readNewPermissions },
  { role: 'developer', opening: '<approved_command_prefixes>', read: readPrefixes },
  { role: 'developer', opening: '<granted_permissions>', read: readGranted },
  { role: 'developer', opening: '<collaboration_mode>', read: readMode },
  { role: 'developer', opening: '<realtime_conversation>', read: readRealtime },
  { role: 'developer', opening: '<personality_spec>', read: readPersonality },
  textFamily('developer_instructions', 'developer'),
  guidanceFamily('apps_instructions', 'apps'),
  guidanceFamily('plugins_instructions', 'plugins'),
  { role: 'developer', opening: '<tools>', read: readDeferred },
  { role: 'developer', opening: '<skills_instructions>', read: readSkills },
  { role: 'developer', opening: '<memory_summary>', read: readMemory },
  textFamily('mcp_instructions', 'mcpInstructions'),
  textFamily('mcp_servers', 'mcpServers'),
  textFamily('session_context', 'session'),
  textFamily('managed_developer_instructions', 'managed'),
  { role: 'user', opening: '# AGENTS.md instructions', read: readInstructions },
  { role: 'user', opening: '<pinned_notes>', read: readPinned },
  { role: 'developer', opening: '<command_sessions>', read: readSessions },
  { role: 'developer', opening: '<known_agents>', read: readAgents },
  { role: 'user', opening: '<environment_context>', read: readEnvironment },
];

const takenBack = /^(?:The|There) .* no longer (?:holds?|apply|offered)\b/;
const notice = /^(?:These take|This takes) the place of .* given before\.\n\n/;

function textFamily(tag: string, key: 'developer' | 'session' | 'managed' | 'mcpInstructions' | 'mcpServers'): Family {
  return {
    role: 'developer',
    opening: `<${tag}>`,
    read(facts, text) {
      const body = between(tag, text);
      if (takenBack.test(body)) delete facts[key];
      else facts[key] = body.replace(notice, '');
    },
  };
}

function guidanceFamily(tag: string, key: 'apps' | 'plugins'): Family {
  return {
    role: 'developer',
    opening: `<${tag}>`,
    read(facts, text) {
      if (takenBack.test(between(tag, text))) delete facts[key];
      else facts[key] = true;
    },
  };
}

function readDeferred(facts: WorldFacts, text: string): void {
  const known = new Map(Object.entries(facts.deferred ?? {}));
  let group = '';
  for (const line of between('tools', text).split('\n')) {
    if (line === 'Deferred tool namespaces:') known.clear();
    const [, name = '', description] = /^- ([^:]*)(?:: (.*))?$/.exec(line) ?? [];
    if (!line.startsWith('- ')) group = line;
    else if (group.startsWith('Removed')) known.delete(name);
    else known.set(name, description ?? 'not told');
    if (line === 'No deferred tool namespaces remain.') known.clear();
  }
  if (known.size === 0) delete facts.deferred;
  else facts.deferred = Object.fromEntries([...known].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function readMemory(facts: WorldFacts, text: string): void {
  const body = between('memory_summary', text).replace(notice, '');
  if (takenBack.test(body)) delete facts.memory;
  else facts.memory = body.slice(body.indexOf('\n\n') + 2);
}

function readSkills(facts: WorldFacts, text: string): void {
  const body = between('skills_instructions', text);
  delete facts.skills;
  if (takenBack.test(body)) return;
  const lines = body.split('\n');
  const roots = new Map(lines.flatMap((line) => [...line.matchAll(/^- (r\d+) = (.*)$/g)].map(([, a, b]) => [a!, b!])));
  const listed = lines.flatMap((line) =>
    [...line.matchAll(/^- (\S+?)(?:: (.*))? \(file: (.*)\)$/g)].map(([, name = '', description = '', path = '']) => {
      const [alias = ''] = path.split('/');
      const whole = (roots.get(alias) ?? alias) + path.slice(alias.length);
      return [name, { description: unescape(description), path: whole }] as const;
    }),
  );
  const left = Number(/^… and (\d+) more that are not listed here/m.exec(body)?.[1] ?? 0);
  facts.skills = { listed: Object.fromEntries(listed), left };
}

/** Only a text that says so takes the place of what an earlier switch said. */
function readSwitch(facts: WorldFacts, text: string): void {
  const said =
    /^(?:The model is now ".*"\. Guidance given for earlier models, also in earlier messages of this kind, no longer holds\.|The guidance for the model ".*" has changed\. Guidance given in earlier messages of this kind no longer holds\.) ([\s\S]*)$/;
  const [, holds] = said.exec(between('model_switch', text)) ?? [];
  if (holds === 'The instructions at the start of the request hold.') delete facts.guidance;
  else if (holds?.startsWith('This guidance holds in the place of the instructions at the start of the request:\n\n'))
    facts.guidance = holds.slice(holds.indexOf('\n\n') + 2);
  else throw new Error(`a switch that does not say what holds: ${text}`);
}

function readNewPermissions(facts: WorldFacts, text: string): void {
  const permissions = readPermissions(text);
  if (permissions === undefined) delete facts.permissions;
  else facts.permissions = permissions;
}

function readPrefixes(facts: WorldFacts, text: string): void {
  facts.permissions = withPrefixes(facts.permissions, text);
}

function readGranted(facts: WorldFacts, text: string): void {
  facts.permissions = withGranted(facts.permissions, text);
}

function readMode(facts: WorldFacts, text: string): void {
  delete facts.mode;
  if (/^<collaboration_mode>\s*The mode described earlier has ended/.test(text)) return;
  const [, name, words] = /^Mode: (.*)\n\n([\s\S]*)$/.exec(between('collaboration_mode', text)) ?? [];
  facts.mode = { name: name ?? 'not told', text: words ?? 'not told' };
}

function readRealtime(facts: WorldFacts, text: string): void {
  const [, word] = /^Realtime conversation: (on|off)\.\n\n/.exec(between('realtime_conversation', text)) ?? [];
  if (word === undefined) throw new Error(`neither begun nor ended: ${text}`);
  if (word === 'on') facts.realtime = true;
  else delete facts.realtime;
}

function readPersonality(facts: WorldFacts, text: string): void {
  const body = between('personality_spec', text);
  const [, name] = /^Manner of speech: (\w+)\. It takes the place of any manner asked for before\.\n/.exec(body) ?? [];
  if (name !== undefined) facts.personality = name;
  else if (takenBack.test(body)) delete facts.personality;
  else throw new Error(`no manner of speech: ${text}`);
}

function readInstructions(facts: WorldFacts, text: string): void {
  const [, directory, body] =
    /^# AGENTS\.md instructions(?: for ([^\n]*))?\n\n<INSTRUCTIONS>\n([\s\S]*)\n<\/INSTRUCTIONS>$/.exec(text) ?? [];
  if (body === undefined) throw new Error(`instructions without their frame: ${text}`);
  const words = withEnds('INSTRUCTIONS', body.replace(notice, ''));
  if (takenBack.test(body)) delete facts.instructions;
  else facts.instructions = { ...(directory === undefined ? {} : { directory }), text: words };
}

function readPinned(facts: WorldFacts, text: string): void {
  const body = between('pinned_notes', text);
  const notes = [...body.matchAll(/^<note>\n([\s\S]*?)\n<\/note>$/gm)].map(([, note]) => withEnds('note', note!));
  if (takenBack.test(body)) delete facts.pinned;
  else facts.pinned = notes;
}

function readSessions(facts: WorldFacts, text: string): void {
  const body = between('command_sessions', text);
  if (body.trim() === 'The sessions listed before have ended.') delete facts.sessions;
  else facts.sessions = body.split('\n').filter((line) => /^\d+: /.test(line));
}

function readAgents(facts: WorldFacts, text: string): void {
  const body = between('known_agents', text);
  if (body.trim() === 'The agents listed before are no more.') delete facts.agents;
  else facts.agents = body.split('\n').filter((line) => line.startsWith('/'));
}

/** Fields that are mentioned change; the rest stays. */
function readEnvironment(facts: WorldFacts, text: string): void {
  const body = between('environment_context', text);
  if (body.includes('<withdrawn />')) facts.environment = {};
  for (const [, tag] of body.matchAll(/^ {2}<(\w+) \/>$/gm)) delete facts.environment[tag!];
  for (const [, tag, value] of body.matchAll(/^ {2}<(\w+)>(.*)<\/\1>$/gm)) {
    const entries = [...value!.matchAll(/<(\w+)>(.*?)<\/\1>/g)].map(([, , entry]) => unescape(entry!));
    facts.environment[tag!] = entries.length === 0 ? unescape(value!) : entries;
  }
}

function unescape(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
}
