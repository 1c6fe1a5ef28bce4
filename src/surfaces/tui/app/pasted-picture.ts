import type { Draft } from '../composer/draft.ts';
import { hasImageName, insertElement } from '../composer/insert-element.ts';
import { imageLabel } from '../composer/numbered-elements.ts';
import { pastedPath, pathHost } from '../composer/pasted-path.ts';

/** The draft with the picture that a pasted text is the path of; undefined: it is some other text. */
export function pastedPicture(
  draft: Draft,
  pasted: string,
  env: Readonly<Record<string, string | undefined>>,
): Draft | undefined {
  const path = pastedPath(pasted, pathHost(env));
  if (path === undefined || !hasImageName(path) || !isFile(path)) return undefined;
  return withPicture(draft, path);
}

/** The draft with a picture at the cursor. */
export function withPicture(draft: Draft, source: string): Draft {
  const range = [draft.cursor, draft.cursor] as const;
  return insertElement(draft, { range, label: imageLabel(1), payload: { kind: 'image', source } });
}

function isFile(path: string): boolean {
  const { statSync } = process.getBuiltinModule('node:fs');
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
