import { controlClass, invisibleClass, spaceClass } from '../../../base/invisible-characters.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const controls = new RegExp(`[${controlClass}]`, 'g');
const runsOfControls = new RegExp(`[${controlClass}]+`, 'g');
const tagsAndControls = new RegExp(`[<${controlClass}]`, 'g');

/** Text that cannot close a tag, open one, or break out of its line: paths come from strangers. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
    .replace(controls, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text of several lines that can neither close a tag nor open one. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? character);
}

/** What `escapeText` was given. */
export function unescapeText(text: string): string {
  return text.replace(/&lt;|&gt;|&amp;/g, (entity) => (entity === '&lt;' ? '<' : entity === '&gt;' ? '>' : '&'));
}

/** A JSON string in which no tag can stand and no line can end. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(tagsAndControls, jsonEscape);
}

/** A character as a JSON string may spell it. */
export function jsonEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A name that stays in its line and shows its own letters. */
export function withoutLineBreaks(text: string): string {
  return text.replace(runsOfControls, ' ');
}

/** Prose that cannot end its own fragment: an end marker inside it is shown with its first character escaped. */
export function escapeEndMarker(text: string, end: string): string {
  const name = nameIn(end);
  if (name === undefined || !text.includes('<')) return text;
  return text.replace(endsOf(text, name, '<'), '&lt;');
}

/** The text before that. What was written as an escaped end marker from the start reads like one. */
export function unescapeEndMarker(text: string, end: string): string {
  const name = nameIn(end);
  if (name === undefined || !text.includes('&lt;')) return text;
  return text.replace(endsOf(text, name, '&lt;'), '<');
}

function nameIn(end: string): string | undefined {
  return /^<\/(?<name>.+)>$/.exec(end)?.groups?.['name'];
}

function endsOf(text: string, name: string, first: '<' | '&lt;'): RegExp {
  return isPlain.test(text) ? endPattern(name, first) : lookalikePattern(name, first);
}

/** Most texts have nothing else, and the pattern for all others takes a while to make. */
const isPlain = /^[\t\n\r -~]*$/;

function endPattern(name: string, first: string): RegExp {
  const words = name.split(' ').map((word) => [...word].map(escaped).join(''));
  return new RegExp(`${first}(?=\\s*/[\\s/]*${words.join('\\s+')}(?![\\w-]))`, 'gi');
}

/** For a pattern with the flag `u`: what a reader may take for space, or does not see at all. */
export const unseenSpace = `[${spaceClass}${invisibleClass}]`;

/**
 * The same end for the eye: there are characters in it that show nothing. No repetition can share what it repeats, and
 * each has an end: over megabytes it would take more stack than there is.
 */
function lookalikePattern(name: string, first: string): RegExp {
  return new RegExp(
    `${first}(?=${unseenSpace}${boundedRepeat}/(?:${unseenSpace}|/)${boundedRepeat}${lookalikeWords(name)}(?![\\w-]))`,
    'giu',
  );
}

/** Times that a pattern repeats what no one would take for a part of a tag when there is more of it. */
export const boundedRepeat = '{0,5000}';

/** Words without what shows nothing, one blank between them. */
export function readableWords(words: string): string {
  return words.replace(spaces, ' ').replace((unseen ??= new RegExp(`[${invisibleClass}]`, 'gu')), '');
}

const spaces = new RegExp(`[${spaceClass}]+`, 'g');
let unseen: RegExp | undefined;

/** A pattern with the flag `u` for what looks like these words, whatever stands in them that shows nothing. */
export function lookalikeWords(words: string): string {
  return words
    .split(' ')
    .map((word) => [...word].map(escaped).join(`[${invisibleClass}]${boundedRepeat}`))
    .join(`${unseenSpace}${boundedRepeat.replace('0', '1')}`);
}

function escaped(letter: string): string {
  return /\w/.test(letter) ? letter : `\\${letter}`;
}
