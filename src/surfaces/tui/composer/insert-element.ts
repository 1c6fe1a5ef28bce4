import { type Draft, type DraftPayload, replaceIn } from './draft.ts';

interface NewElement {
  readonly range: readonly [from: number, to: number];
  readonly label: string;
  readonly payload: DraftPayload;
}

/** Puts an element in the place of a range, apart from what stands beside it. The cursor stands behind it and a blank. */
export function insertElement(draft: Draft, { range, label, payload }: NewElement): Draft {
  const touches = draft.elements.some(({ end }) => end === range[0]);
  const apart = touches ? replaceIn(draft, range, ' ') : replaceIn(draft, range, '');
  const made = replaceIn(apart, [apart.cursor, apart.cursor], label, payload);
  if (/^\s/.test(made.text.slice(made.cursor))) return { ...made, cursor: made.cursor + 1 };
  return replaceIn(made, [made.cursor, made.cursor], ' ');
}

const imageName = /\.(?:png|jpe?g|gif|webp)$/i;

/** Whether a path has the name of a picture that models take. The engine looks at its bytes when it is sent. */
export function hasImageName(path: string): boolean {
  return imageName.test(path);
}

/** A path in a message: in quotes if it has blanks in it. */
export function pathInMessage(path: string): string {
  if (!/\s/.test(path)) return path;
  return path.includes('"') ? `'${path}'` : `"${path}"`;
}
