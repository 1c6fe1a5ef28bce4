import type { UserWords } from '../../history/users-words.ts';

/**
 * Words that were written again in exactly the same way stand once, where they were written last. `copies`: how often
 * each was written, also before an earlier checkpoint.
 */
export function distinctWords(all: readonly UserWords[]) {
  const newest = new Map<string, UserWords>();
  const alsoIn = new Map<UserWords, readonly number[]>();
  const copies = new Map<UserWords, number>();
  const rows = all.toReversed().filter((row) => {
    if (row.pictures.length > 0 || row.picturesLeftOut > 0) return true;
    const said = `${speakerOf(row)}\n${row.text}`;
    const again = newest.get(said);
    if (again === undefined) newest.set(said, row);
    copies.set(again ?? row, (copies.get(again ?? row) ?? 0) + 1 + (row.alsoIn ?? []).length);
    const own = again === undefined ? [] : [row.number ?? []].flat();
    const numbers = [...(row.alsoIn ?? []), ...own, ...(alsoIn.get(again ?? row) ?? [])];
    if (numbers.length > 0) alsoIn.set(again ?? row, numbers.slice(-mostRemembered));
    return again === undefined;
  });
  return { rows: rows.toReversed(), alsoIn, copies };
}

/** The user's have no name. */
function speakerOf({ by, author }: UserWords): string {
  return by ?? (author === undefined ? '' : `author ${author}`);
}

/** Of the turns with the same words. */
const mostRemembered = 100;

/** Whether two are one message, or say exactly the same. Pictures that come with words make them different. */
export function sameWords(one: UserWords, other: UserWords): boolean {
  const isText = ({ pictures, picturesLeftOut }: UserWords): boolean => pictures.length + picturesLeftOut === 0;
  return (
    one.id === other.id ||
    (speakerOf(one) === speakerOf(other) && one.text === other.text && isText(one) && isText(other))
  );
}
