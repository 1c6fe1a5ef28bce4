/** For a class of characters in a pattern with the flag `u`: a reader sees none of these. */
export const unseenSigns = '\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}';

/** The same for those that a reader takes for space: one of them is a letter of Braille without dots. */
export const spaceSigns = '\\s\\u2800';

let seenSign: RegExp | undefined;

/** A reader sees nothing of such a text: white space, zero-width signs, fillers. */
export function isBlankText(text: string): boolean {
  seenSign ??= new RegExp(`[^${unseenSigns}${spaceSigns}]`, 'u');
  return !seenSign.test(text);
}
