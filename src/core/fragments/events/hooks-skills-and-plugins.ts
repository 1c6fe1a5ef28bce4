import type { JsonObject } from '../../../protocol/json.ts';
import { defineFragment } from '../text/define-fragment.ts';
import { escapeMarkup, escapeText, quote, unescapeText } from '../text/escape-markup.ts';
import { boundedList, truncateMiddle, withMissingCount } from '../text/truncate.ts';

export const hookContextFragment = defineFragment<{ readonly text: string }>({
  id: 'hook-context',
  purpose: 'Text that a hook added, once.',
  capTokens: 5000,
  separate: true,
  body: ({ text }) => `\n${text}\n`,
});

/** Replaces a text that is too long: its beginning and end, and where the full text is. */
export const savedHookOutput = (preview: string, path: string): string =>
  `${preview}\n\nFull hook output saved to: ${path}`;
const prompt = /^\s*<hook_prompt(?:\s[^>]*)?>(?<words>[^]*)<\/hook_prompt>\s*$/i;
const context = /^\s*<hook_context>\n?(?<words>[^]*?)\n?<\/hook_context>\s*$/i;

/** Other programs read this as XML, so all of it is escaped. */
export const hookPromptFragment = defineFragment<{ readonly runId: string; readonly prompt: string }>({
  id: 'hook-prompt',
  purpose: 'A hook kept the turn from ending and says what is left to do.',
  role: 'user',
  markers: ['<hook_prompt hook_run_id="ID">', '</hook_prompt>'],
  capTokens: 5000,
  markersFor: ({ runId }) => [
    `<hook_prompt hook_run_id="${escapeMarkup(truncateMiddle(runId, { mode: 'bytes', limit: 200 }))}">`,
    '</hook_prompt>',
  ],
  matches: (text) => prompt.test(text),
  body: ({ prompt }) => escapeText(prompt),
});

/** A hook's words without the fragment's tags and escapes; undefined if the text is not from a hook. */
export function parseHookText(text: string): string | undefined {
  const asked = prompt.exec(text)?.groups?.['words'];
  return asked !== undefined ? unescapeText(asked) : context.exec(text)?.groups?.['words'];
}

export interface SkillBodyText extends JsonObject {
  readonly name: string;
  readonly path: string;
  /** Says how the model reaches the skill's files, if a plain path is not enough. */
  readonly resourceAccess?: JsonObject;
  readonly contents: string;
  /** The contents are partial or empty because the rest did not fit. */
  readonly isCut?: boolean;
}

export const skillBodyFragment = defineFragment<SkillBodyText>({
  id: 'skill-body',
  purpose: 'The text of a skill that the user named.',
  role: 'user',
  markers: ['<skill>', '</skill>'],
  capTokens: 10_000,
  separate: true,
  body({ name, path, resourceAccess, contents, isCut = false }) {
    const lines = [
      `<name>${short(name)}</name>`,
      `<path>${short(path)}</path>`,
      ...(resourceAccess === undefined ? [] : [`<resource_access>${access(resourceAccess)}</resource_access>`]),
      ...(isCut && contents === '' ? [leftOutNotice] : [contents]),
      ...(isCut && contents !== '' ? [cutNotice] : []),
    ];
    return `\n${lines.join('\n')}\n`;
  },
});

const cutNotice = '[A part of this skill is left out for lack of space. Read the rest in the file at the path above.]';
const leftOutNotice = '[No space is left for the text of this skill. Read it in the file at the path above.]';
const short = (text: string): string => escapeMarkup(truncateMiddle(text, { mode: 'bytes', limit: 1000 }));
const access = (value: JsonObject): string => JSON.stringify(value).replaceAll('<', '\\u003c');

export interface PluginHintText extends JsonObject {
  readonly name: string;
  /** Prefix of its skills' names. Absent if it has none. */
  readonly skillPrefix?: string;
  readonly apps: readonly string[];
  readonly servers: readonly string[];
}

export const pluginHintFragment = defineFragment<PluginHintText>({
  id: 'plugin-hint',
  purpose: 'The parts of a plugin that the user named.',
  capTokens: 700,
  body({ name, skillPrefix, apps, servers }) {
    const lines = [
      `The user named the plugin ${quote(name)}. Prefer what belongs to it:`,
      ...(skillPrefix === undefined ? [] : [`- skills whose names begin with ${quote(skillPrefix)}`]),
      ...names('apps', apps),
      ...names('tool servers', servers),
    ];
    return `\n${lines.join('\n')}\n`;
  },
});

function names(title: string, entries: readonly string[]): readonly string[] {
  const list = boundedList(entries.map(quote), { count: 50, characters: 1000 });
  return entries.length === 0 ? [] : [`- ${title}: ${withMissingCount(list).join(', ')}`];
}
