import type { Settings, TurnSettings } from '../envelope/settings.ts';
import { defined } from '../protocol/defined.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { notPlain, plainCopy } from '../protocol/plain-copy.ts';
import { authors, type UserInput } from '../protocol/user-input.ts';
import type { TurnInput } from './parts/parts.ts';
import { isBlankText } from '../protocol/unseen-signs.ts';
import { halfCharacter, oddMember } from '../protocol/odd-text.ts';

/** One turn of a thread, and what holds for it alone. */
export interface ThreadTurn extends Pick<TurnInput, 'signal'>, Omit<TurnSettings, keyof Settings> {
  readonly input: UserInput;
}

/**
 * What a caller asks a turn to do: a copy of the members that a turn has, and no others. A setting that a caller puts
 * beside them does not count: settings are changed by overrides, which are checked.
 */
export function readTurn(turn: ThreadTurn): ThreadTurn | Outcome<'odd-input' | 'empty-input'> {
  const { input, outputSchema, cyberAccessProgram, signal = new AbortController().signal } = turn;
  const copy = plainCopy({ input, outputSchema, cyberAccessProgram });
  if (copy === notPlain || !isInput(copy.input)) return notData('The message');
  return inputProblem(copy.input, copy.outputSchema) ?? { ...defined(copy), signal };
}

/** Whether a value of a caller has the form of a message. What is accepted must come back whole from the file. */
export function isInput(value: unknown): value is UserInput {
  if (!isJsonObject(value) || typeof value['text'] !== 'string') return false;
  const { images, unusableImages = [] } = value;
  return Array.isArray(images) && images.every(isImage) && Array.isArray(unusableImages);
}

function isImage(value: unknown): boolean {
  return isJsonObject(value) && typeof value['path'] === 'string' && typeof value['dataUrl'] === 'string';
}

/** Why an item of a program cannot enter history; undefined when it can. */
export function itemProblem(item: unknown): Outcome<'odd-input'> | undefined {
  if (!isJsonObject(item) || typeof item['type'] !== 'string') return notData('The item');
  // JSON writes half a character, and nothing else, in this way.
  return /\\ud[89a-f][0-9a-f]{2}/i.test(JSON.stringify(item)) ? oddInput('The item', 'half a character') : undefined;
}

export function notData(subject: string): Outcome<'odd-input'> {
  return {
    code: 'odd-input',
    message: `${subject} is not plain data: use only strings, numbers, booleans, arrays and plain objects.`,
    next: 'Nothing was changed or sent. Pass a plain object.',
  };
}

/** Why a turn cannot begin with this; undefined when it can. A zero byte in words is kept: it does no harm. */
export function inputProblem(
  input: UserInput,
  outputSchema: JsonObject | undefined,
): Outcome<'odd-input' | 'empty-input'> | undefined {
  if (!authors.includes(input.author)) return noAuthor;
  const { text, images, unusableImages = [], continues } = input;
  if (isBlankText(text) && images.length + unusableImages.length === 0 && continues === undefined) return emptyInput;
  if (!input.text.isWellFormed()) return oddInput('The message', halfCharacter);
  const paths = oddMember(input.images.map(({ path }) => path));
  if (paths !== undefined) return oddInput('The path of a picture', paths.what);
  const schema = oddMember(outputSchema);
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
  return {
    code: 'odd-input',
    message: `${subject} contains ${what}, which cannot be saved or sent.`,
    next: 'Remove it and try again.',
  };
}
