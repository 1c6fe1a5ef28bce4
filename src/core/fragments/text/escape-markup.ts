import { controlRegexClass, invisibleRegexClass, spaceRegexClass } from '../../../base/invisible-characters.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const controls = new RegExp(`[${controlRegexClass}]`, 'g');
const runsOfControls = new RegExp(`[${controlRegexClass}]+`, 'g');
const tagsAndControls = new RegExp(`[<${controlRegexClass}]`, 'g');

/** Escapes text so that it cannot open or close a tag or break out of its line: paths are untrusted. */
export const escapeMarkup = (text: string): string =>
  text
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
    .replace(controls, (character) => `&#${character.charCodeAt(0)};`);

/** Escapes text of several lines so that it can neither open nor close a tag. */
export const escapeText = (text: string): string =>
  text.replace(/[&<>]/g, (character) => entities[character] ?? character);
export const unescapeText = (text: string): string =>
  text.replace(/&lt;|&gt;|&amp;/g, (entity) => (entity === '&lt;' ? '<' : entity === '&gt;' ? '>' : '&'));

/** A JSON string that cannot contain a tag or a line end. */
export const quote = (text: string): string => JSON.stringify(text).replace(tagsAndControls, jsonEscape);
export const jsonEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
/** Keeps a name on its line and its characters visible. */
export const withoutLineBreaks = (text: string): string => text.replace(runsOfControls, ' ');

/** Prose that cannot end its own fragment: the first character of an end marker in it is escaped. */
export function escapeEndMarker(text: string, end: string): string {
  const name = nameIn(end);
  return name === undefined || !text.includes('<') ? text : text.replace(endsOf(text, name, '<'), '&lt;');
}

/** Reverses `escapeEndMarker`. A marker that was escaped in the original is unescaped as well. */
export function unescapeEndMarker(text: string, end: string): string {
  const name = nameIn(end);
  return name === undefined || !text.includes('&lt;') ? text : text.replace(endsOf(text, name, '&lt;'), '<');
}

const nameIn = (end: string): string | undefined => /^<\/(?<name>.+)>$/.exec(end)?.groups?.['name'];
const endsOf = (text: string, name: string, first: '<' | '&lt;'): RegExp =>
  isPlain.test(text) ? endPattern(name, first) : lookalikePattern(name, first);

/** Most texts are plain, and the pattern for all others is slow to build. */
const isPlain = /^[\t\n\r -~]*$/;

function endPattern(name: string, first: string): RegExp {
  const words = name.split(' ').map((word) => [...word].map(escaped).join(''));
  return new RegExp(`${first}(?=\\s*/[\\s/]*${words.join('\\s+')}(?![\\w-]))`, 'gi');
}

/** For a pattern with the flag `u`: characters that look like space or are invisible. */
export const unseenSpace = `[${spaceRegexClass}${invisibleRegexClass}]`;

/**
 * Also matches ends that look the same but contain invisible characters. Each repetition has a limit, and no two can
 * match the same character: on megabytes the pattern would overflow the stack.
 */
const lookalikePattern = (name: string, first: string): RegExp =>
  new RegExp(
    `${first}(?=${unseenSpace}${boundedRepeat}/(?:${unseenSpace}|/)${boundedRepeat}${lookalikePatternOf(name)}(?![\\w-]))`,
    'giu',
  );

/** Limit for repetitions: with more blanks or invisible characters, no reader would take the text for a tag. */
export const boundedRepeat = '{0,5000}';

/** Removes invisible characters; one blank between words. */
export const normaliseVisibleText = (words: string): string =>
  words.replace(spaces, ' ').replace((unseen ??= new RegExp(`[${invisibleRegexClass}]`, 'gu')), '');
const spaces = new RegExp(`[${spaceRegexClass}]+`, 'g');
let unseen: RegExp | undefined;

/** A pattern with the flag `u` for text that looks like these words, despite invisible characters. */
export const lookalikePatternOf = (words: string): string =>
  words
    .split(' ')
    .map((word) => [...word].map(escaped).join(`[${invisibleRegexClass}]${boundedRepeat}`))
    .join(`${unseenSpace}${boundedRepeat.replace('0', '1')}`);

const escaped = (letter: string): string => (/\w/.test(letter) ? letter : `\\${letter}`);
