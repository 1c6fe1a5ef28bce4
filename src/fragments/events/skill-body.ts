import type { JsonObject } from '../../protocol/json.ts';
import { defineFragment } from '../text/define.ts';
import { escapeMarkup } from '../text/markup.ts';
import { truncateMiddle } from '../text/truncate.ts';

export interface SkillBodyText extends JsonObject {
  readonly name: string;
  readonly path: string;
  /** How the files beside it can be reached, where a plain path is not enough. */
  readonly resourceAccess?: JsonObject;
  readonly contents: string;
  /** The contents are a part of the text, or empty, because the rest did not fit. */
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

function short(text: string): string {
  return escapeMarkup(truncateMiddle(text, { mode: 'bytes', limit: 1000 }));
}

function access(value: JsonObject): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
