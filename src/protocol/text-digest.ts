/**
 * Sixteen hexadecimal digits that distinguish texts; no proof against an attacker who wants two texts to have one
 * digest. It is remembered for the newest text: the instructions of a model are digested for its section of the world
 * and for the stored envelope, at every start, in code that is cold.
 */
export function textDigest(text: string): string {
  // A short text must not push out a long one, which is asked for again and again.
  if (text.length < shortText) return digestOf(text);
  if (text !== newest.text) newest = { text, digest: digestOf(text) };
  return newest.digest;
}

const shortText = 1000;

let newest = { text: '', digest: digestOf('') };

function digestOf(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9dc5811c];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x01000197) + i;
  }
  return [one, other].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
}
