/** Characters that no one sees, or that change where others are seen: they can hide words from the user that the model reads. */
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

export function withoutHiddenSigns(text: string): string {
  return text.toWellFormed().replace(hidden, '');
}
