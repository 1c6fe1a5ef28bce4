import { fileSystem, kindOfEntry, readBounded, reasonOf, whyMissing } from '../../engine/file-access.ts';
import type { TurnResult } from '../../engine/thread/turn/settle-turn.ts';
import type { Engine } from '../../engine/engine.ts';
import { findOutputFile, leadsOutWords, type OutputFile, writeOutputFile } from '../../engine/output-file.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { UnusableImage, UserImage, UserInput } from '../../protocol/user-input.ts';
import type { ExecArguments } from '../views/command-line/exec-command.ts';
import { visibleText } from '../views/terminal/visible-text.ts';
import { dirname, resolve } from 'node:path';

/** Checks the file for the answer before the turn, which costs time and money. Touches nothing. */
export function checkLastMessageFile(
  { lastMessageFile }: Pick<ExecArguments['options'], 'lastMessageFile'>,
  cwd: string,
  roots: readonly string[],
): OutputFile | Outcome | undefined {
  if (lastMessageFile === undefined) return undefined;
  const path = resolve(cwd, lastMessageFile);
  const file = findOutputFile(path, [cwd, ...roots]);
  const problem = whyNotWritable(path) ?? (file === 'leads-out' ? leadsOutWords : undefined);
  if (problem === undefined && file !== 'leads-out') return file;
  const message = `The answer cannot be written to ${path}: ${problem}.`;
  const next = 'Give -o a file in a folder that you may write to. Nothing was sent to the model.';
  return { code: 'last-message-unwritable', message, next };
}

/** Writes the answer of a completed turn; a failed one leaves the file unchanged. Returns what the user should know. */
export function writeLastMessage(file: OutputFile, result: TurnResult): Outcome | undefined {
  if (result.kind !== 'completed') return undefined;
  const { path } = file;
  try {
    // If the file is also standard output, do not replace it: it has earlier output.
    const text = result.lastMessage ?? '';
    if (isStandardOutput(path)) fileSystem.writeFileSync(1, isTerminal(path) ? visibleText(text) : text);
    else writeOutputFile(file, isTerminal(path) ? visibleText(text) : text, 0o666);
  } catch (error) {
    const message = `The turn is complete, but its answer could not be written to ${path}: ${reasonOf(error)}.`;
    return { code: 'last-message-unwritten', message, next: 'The answer is in the output above and in the thread.' };
  }
  if (result.lastMessage !== undefined) return undefined;
  return { code: 'no-last-message', message: `The model gave no answer; ${path} is empty.`, next: '' };
}

function isStandardOutput(path: string): boolean {
  const named = fileSystem.statSync(path, { throwIfNoEntry: false });
  const { dev, ino } = fileSystem.fstatSync(1);
  return named !== undefined && named.isFile() && named.dev === dev && named.ino === ino;
}

/** True for every character device: it may display what is written to it. */
const isTerminal = (path: string): boolean =>
  fileSystem.statSync(path, { throwIfNoEntry: false })?.isCharacterDevice() === true;

function whyNotWritable(path: string): string | undefined {
  const kind = kindOfEntry(path);
  if (kind === 'folder') return 'it is a folder';
  const folder = dirname(path);
  if (kind === 'missing' && kindOfEntry(folder) !== 'folder') return `there is no folder ${folder}`;
  try {
    fileSystem.accessSync(kind === 'missing' ? folder : path, fileSystem.constants.W_OK);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

export type Pictures = Required<Pick<UserInput, 'images' | 'unusableImages'>>;

/** A file that is no picture does not end the run, as programs that drive `exec` expect: user and model are told. */
export async function loadImages({ options }: ExecArguments, cwd: string, engine: Engine): Promise<Pictures | Outcome> {
  const lists = options.image;
  const next = 'Give -i the path of a picture, or leave it out.';
  // Most likely an unset variable.
  if (lists.includes('')) return { code: 'image-unreadable', message: 'The image has an empty path.', next };
  const paths = lists.flatMap((list) => pathsIn(list, cwd));
  const images: UserImage[] = [];
  const unusableImages: UnusableImage[] = [];
  for (const path of paths) {
    const image = await engine.loadImage(path, cwd);
    if (!('code' in image)) images.push(image);
    else if (image.code === 'image-unsupported') unusableImages.push({ path, problem: image });
    else return image;
  }
  return { images, unusableImages };
}

/** Several paths separated by commas, or one path that contains commas. */
const pathsIn = (list: string, cwd: string): readonly string[] =>
  kindOfEntry(resolve(cwd, list)) !== 'missing' ? [list] : list.split(',').filter((path) => path !== '');

const mostBytes = 1024 * 1024;

export function readOptionFile(path: string): { readonly text: string } | { readonly problem: string } {
  const file = readBounded(path, { maxBytes: mostBytes });
  if (file.kind === 'read') return { text: file.bytes.toString('utf8') };
  return { problem: file.kind === 'missing' ? whyMissing(path) : file.reason };
}

/** `notices`: warnings that a part of the schema is not checked. */
export async function loadOutputSchema(
  { options: { outputSchema: path } }: ExecArguments,
  cwd: string,
): Promise<{ readonly outputSchema?: JsonObject; readonly notices: readonly Outcome[] } | Outcome> {
  if (path === undefined) return { notices: [] };
  const file = readOptionFile(resolve(cwd, path));
  if ('problem' in file) {
    const message = `The output schema ${path} cannot be read: ${file.problem}.`;
    return { code: 'schema-unreadable', message, next: 'Give --output-schema a file that you may read.' };
  }
  const outputSchema = parse(file.text);
  if (typeof outputSchema !== 'string') {
    const { firstUncheckedKeyword } = await import('../../core/envelope/json-schema.ts');
    const place = await firstUncheckedKeyword(outputSchema);
    return { outputSchema, notices: place === undefined ? [] : [partlyChecked(path, place)] };
  }
  const message = `The output schema ${path} cannot be used: ${outputSchema}.`;
  const next = 'Write a JSON Schema into it, such as {"type": "object", "properties": {…}}.';
  return { code: 'schema-invalid', message, next };
}

const partlyChecked = (path: string, place: string): Outcome<'schema-partly-checked'> => ({
  code: 'schema-partly-checked',
  message: `Part of the output schema ${path} is not checked: ${place}.`,
  next: 'Correct it: types are those of JSON, $ref leads within the schema, and a pattern has no look-around or back-reference.',
});

/** The parsed object, or why the text is none. */
function parse(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isJsonObject(value) ? value : 'it is JSON, but not an object';
  } catch (error) {
    return `it is not JSON (${(error as SyntaxError).message})`;
  }
}
