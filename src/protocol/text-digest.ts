/**
 * Sixteen hexadecimal digits that tell texts apart which nobody made to look alike: it proves nothing against somebody
 * who wants two to have one digest. Written for code that runs once: SHA-1 of the same texts costs each start 5 ms.
 */
export function textDigest(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9dc5811c];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x01000197) + i;
  }
  return [one, other].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
}
