import { resolve } from 'node:path';
import { loadImage } from '../../gather/load-image.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { UserImage } from '../../protocol/user-input.ts';
import type { TurnResult } from '../../thread/settle.ts';
import { type ExecArguments, lastValue } from './arguments.ts';

const fileSystem = process.getBuiltinModule('node:fs');

/** Files that `exec` is pointed at. */

export function loadImages(asked: ExecArguments, cwd: string): readonly UserImage[] | Outcome {
  const paths = (asked.values.image ?? []).flatMap((list) => pathsIn(list, cwd));
  const images: UserImage[] = [];
  for (const path of paths) {
    const image = loadImage(path, cwd);
    if ('code' in image) return image;
    images.push(image);
  }
  return images;
}

/** Several paths with commas between them, or a path that has commas in it. */
function pathsIn(list: string, cwd: string): readonly string[] {
  if (list !== '' && fileSystem.existsSync(resolve(cwd, list))) return [list];
  return list.split(',').filter((path) => path !== '');
}

interface OutputSchema {
  readonly outputSchema?: JsonObject;
}

export function loadOutputSchema(asked: ExecArguments): OutputSchema | Outcome {
  const path = lastValue(asked, 'outputSchema');
  if (path === undefined) return {};
  const next = 'Give a file with a JSON Schema whose root is an object.';
  try {
    const schema: unknown = JSON.parse(fileSystem.readFileSync(resolve(path), 'utf8'));
    if (isJsonObject(schema)) return { outputSchema: schema };
    return { code: 'schema-invalid', message: `${path} is not a JSON Schema: its root is no object.`, next };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { code: 'schema-unreadable', message: `The output schema ${path} cannot be used: ${reason}.`, next };
  }
}

/** Writes the answer of a completed turn; a failed turn leaves the file as it was. What a person should know of it comes back. */
export function writeLastMessage(asked: ExecArguments, result: TurnResult): Outcome | undefined {
  const path = lastValue(asked, 'lastMessageFile');
  if (path === undefined || result.kind !== 'completed') return undefined;
  try {
    fileSystem.writeFileSync(resolve(path), result.lastMessage ?? '');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      code: 'last-message-unwritten',
      message: `The answer could not be written: ${reason}.`,
      next: 'It stands in the thread.',
    };
  }
  if (result.lastMessage !== undefined) return undefined;
  return { code: 'no-last-message', message: `The model gave no answer; ${path} is empty.`, next: '' };
}
