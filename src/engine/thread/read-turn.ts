import {
  abortSignalOption,
  stringOption,
  jsonObjectOption,
  validateOptions,
  optionWhere,
} from '../../core/envelope/read-options.ts';
import type { OptionReaders } from '../../core/envelope/read-options.ts';
import { settingsChangeOptions } from '../../core/envelope/read-settings-change.ts';
import type { Settings, TurnSettings } from '../../core/envelope/settings.ts';
import { defined, notPlain, plainCopy } from '../../base/objects.ts';
import { findUnstorableText, isJsonObject, type JsonObject, loneSurrogateWords } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { authors, type UserInput } from '../../protocol/user-input.ts';
import type { TurnInput } from './thread-parts.ts';
import { isBlankText } from '../../base/invisible-characters.ts';

export interface ThreadTurn extends Omit<TurnSettings, keyof Settings> {
  readonly input: UserInput;
  /** Aborting it ends the turn soon, and cleanly. Absent: only closing the thread ends it. */
  readonly signal?: AbortSignal;
}

export type ValidatedTurn = ThreadTurn & Pick<TurnInput, 'signal'>;
/** Checks only that it is an object: the members are checked elsewhere. */
export const anyObject = <Given>(expected: string) => optionWhere<Given>(expected, isJsonObject);
export const messageOption = anyObject<UserInput>('a message, as words(text) makes it');

export const turnOptions = {
  input: { type: messageOption, about: 'The message, as `words(text)` makes it.', required: true },
  signal: { type: abortSignalOption, about: 'Aborting it ends the turn.' },
  outputSchema: { type: jsonObjectOption, about: 'JSON Schema of the answer.' },
  cyberAccessProgram: { type: stringOption, about: 'The program of OpenAI under which the turn may work on security.' },
} as const satisfies OptionReaders<ThreadTurn>;

/** Settings are changed only by calls that check and record them. */
export const settingsNotAllowedHere = {
  keys: Object.keys(settingsChangeOptions),
  next: 'Change settings with runWith() or overrideTurnContext().',
};

export function validateTurn(turn: ThreadTurn, of: string): ValidatedTurn | Outcome {
  const read = validateOptions<ThreadTurn>(turn, turnOptions, of, settingsNotAllowedHere);
  return 'code' in read ? read : withValidMessage(read);
}

export function withValidMessage<Turn extends ThreadTurn>(read: Turn): (Turn & ValidatedTurn) | Outcome {
  const input = validateUserInput(read.input);
  if ('code' in input) return input;
  return inputProblem(input, read.outputSchema) ?? { signal: new AbortController().signal, ...read, input };
}

export function validateUserInput(given: UserInput): UserInput | Outcome<'odd-input' | 'option-unknown'> {
  const input = plainCopy(given);
  if (input === notPlain || !isInput(input)) return notPlainData('The message');
  const unknown = Object.keys(input).find((key) => !messageKeys.includes(key));
  if (unknown === undefined) return defined(input) as UserInput;
  const message = `The message has the unknown key "${unknown}".`;
  return { code: 'option-unknown', message, next: `Nothing was changed or sent. Use ${messageKeys.join(', ')}.` };
}

const messageKeys: readonly string[] = Object.keys({
  author: true,
  text: true,
  images: true,
  unusableImages: true,
  continues: true,
} satisfies Record<keyof UserInput, true>);

/** Checks the form of a caller's message. An accepted one must come back whole from the file. */
function isInput(value: unknown): value is UserInput {
  if (!isJsonObject(value) || typeof value['text'] !== 'string') return false;
  const { images, unusableImages = [] } = value;
  const isImage = (each: unknown): boolean =>
    isJsonObject(each) && typeof each['path'] === 'string' && typeof each['dataUrl'] === 'string';
  return Array.isArray(images) && images.every(isImage) && Array.isArray(unusableImages);
}

export function itemProblem(item: unknown): Outcome<'odd-input'> | undefined {
  if (!isJsonObject(item) || typeof item['type'] !== 'string') return notPlainData('The item');
  // JSON writes only a lone surrogate as such an escape.
  return /\\ud[89a-f][0-9a-f]{2}/i.test(JSON.stringify(item)) ? oddInput('The item', 'half a character') : undefined;
}

export function notPlainData(subject: string): Outcome<'odd-input'> {
  const message = `${subject} is not plain data: use only strings, numbers, booleans, arrays and plain objects.`;
  return { code: 'odd-input', message, next: 'Nothing was changed or sent. Pass a plain object.' };
}

/** The reason why a turn cannot begin with this, or undefined. A zero byte in words is kept: it does no harm. */
export function inputProblem(
  input: UserInput,
  outputSchema: JsonObject | undefined,
): Outcome<'odd-input' | 'empty-input'> | undefined {
  if (!authors.includes(input.author)) return noAuthor;
  const { text, images, unusableImages = [], continues } = input;
  if (isBlankText(text) && images.length + unusableImages.length === 0 && continues === undefined) return emptyInput;
  if (!input.text.isWellFormed()) return oddInput('The message', loneSurrogateWords);
  const paths = findUnstorableText(input.images.map(({ path }) => path));
  if (paths !== undefined) return oddInput('The path of a picture', paths.what);
  const schema = findUnstorableText(outputSchema);
  return schema === undefined ? undefined : oddInput('The output schema', schema.what);
}

const emptyInput: Outcome<'empty-input'> = {
  code: 'empty-input',
  message: 'The message is empty or blank.',
  next: 'Write something, or add a picture. Nothing was sent.',
};

const noAuthor: Outcome<'odd-input'> = {
  code: 'odd-input',
  message: `The message does not say who wrote it: its author is none of ${authors.join(', ')}.`,
  next: 'Nothing was changed or sent. Set its author, or make the message of a user with words().',
};

function oddInput(subject: string, what: string): Outcome<'odd-input'> {
  const message = `${subject} contains ${what}, which cannot be saved or sent.`;
  return { code: 'odd-input', message, next: 'Remove it and try again.' };
}
