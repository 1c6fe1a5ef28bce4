/**
 * A reader of context messages that knows the tags and nothing of the code that writes them: what it learns is what a
 * model could learn.
 */
export interface WorldFacts {
  environment: Record<string, string>;
  permissions: Record<string, string | readonly string[]>;
  instructions?: { readonly directory?: string; readonly text: string };
}

export function readWorld(texts: readonly string[]): WorldFacts {
  const facts: WorldFacts = { environment: {}, permissions: {} };
  for (const text of texts) {
    if (text.startsWith('<environment_context>')) readEnvironment(facts, text);
    else if (text.startsWith('<permissions instructions>')) readPermissions(facts, text);
    else if (text.startsWith('# AGENTS.md instructions')) readInstructions(facts, text);
    else throw new Error(`a text that no reader knows: ${text.slice(0, 80)}`);
  }
  return facts;
}

/** Fields that are mentioned change; the rest stays. */
function readEnvironment(facts: WorldFacts, text: string): void {
  if (text.includes('<withdrawn />')) facts.environment = {};
  for (const [, tag, value] of text.matchAll(/^ {2}<(\w+)>(.*)<\/\1>$/gm)) facts.environment[tag!] = unescape(value!);
}

/** The newest message holds as a whole. */
function readPermissions(facts: WorldFacts, text: string): void {
  facts.permissions = {};
  if (text.includes('are withdrawn.')) return;
  for (const line of text.split('\n').slice(1, -1)) {
    const word = /^(Sandbox|Network|Approval): ([\w-]+)\. /.exec(line);
    const list = /^([^:"]+): (".*)$/.exec(line);
    if (word !== null) facts.permissions[word[1]!] = word[2]!;
    else if (list !== null) facts.permissions[list[1]!] = JSON.parse(`[${list[2]!}]`) as string[];
    else facts.permissions[line] = 'told';
  }
}

function readInstructions(facts: WorldFacts, text: string): void {
  const [, directory, body] =
    /^# AGENTS\.md instructions(?: for ([^\n]*))?\n\n<INSTRUCTIONS>\n([\s\S]*)\n<\/INSTRUCTIONS>$/.exec(text) ?? [];
  if (body === undefined) throw new Error(`instructions without their frame: ${text}`);
  const words = body.replace(/^These take the place of all AGENTS\.md instructions given before\.\n\n/, '');
  if (words.startsWith('The AGENTS.md instructions given before no longer apply')) delete facts.instructions;
  else facts.instructions = { ...(directory === undefined ? {} : { directory }), text: words };
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
