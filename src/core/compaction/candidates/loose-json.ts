import { isJsonObject, type JsonObject, parseJson } from '../../../protocol/json.ts';

export type LooseJson =
  | { readonly kind: 'found'; readonly value: JsonObject; readonly mended: readonly string[] }
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'none' };

const around = 'Capstan left out the text around the JSON object.';
const spelling = 'Capstan corrected mistakes in the JSON.';
const brace = 'Capstan added the missing closing brace of the JSON object.';
const twice = 'There were several JSON objects; Capstan used the last complete one.';
/** Prose may hold many braces; the intended object is among the first. */
const mostTries = 200;
const mostLookedAt = 5_000_000;

/** Finds the object with the keys, with repairs that cannot change its meaning. A truncated string is not completed. */
export function readLooseJson(given: string, keys: readonly string[]): LooseJson {
  const text = given.replace(/^\uFEFF/, '').trim();
  const strict = parseJson(text);
  if (isJsonObject(strict)) return { kind: 'found', value: strict, mended: [] };
  // The model put the object into a string.
  if (typeof strict === 'string' && strict.includes('{')) return readLooseJson(strict, keys);

  const wanted: Found[] = [];
  let cutOff: Found | undefined;
  let isOpen = false;
  let [from, lookedAt] = [0, 0];
  for (let tries = 0; tries < mostTries && lookedAt < mostLookedAt; tries++) {
    const start = text.indexOf('{', from);
    if (start < 0) break;
    const scan = scanObject(text, start);
    const value = scan.kind === 'open-string' ? undefined : parseJson(scan.text);
    from = start + 1;
    lookedAt += (scan.kind === 'whole' ? scan.end : text.length) - start;
    if (scan.kind !== 'whole') {
      isOpen ||= keys.some((key) => text.includes(`"${key}"`, start));
      if (isJsonObject(value) && hasKeys(value, keys)) cutOff ??= { value, mended: [brace] };
      continue;
    }
    if (!isJsonObject(value)) continue;
    from = scan.end;
    const mended = [...(scan.mended ? [spelling] : []), ...(scan.end - start < text.length ? [around] : [])];
    if (keys.some((key) => Object.hasOwn(value, key))) wanted.push({ value, mended });
  }
  const found = wanted.findLast(({ value }) => hasKeys(value, keys)) ?? cutOff ?? wanted.at(-1);
  if (found === undefined) return { kind: isOpen ? 'cut-off' : 'none' };
  const others = wanted.some(({ value }) => JSON.stringify(value) !== JSON.stringify(found.value));
  return { kind: 'found', value: found.value, mended: others ? [...found.mended, twice] : found.mended };
}

type Found = { readonly value: JsonObject; readonly mended: readonly string[] };
const hasKeys = (value: JsonObject, keys: readonly string[]): boolean => keys.every((key) => Object.hasOwn(value, key));

type Scan =
  | { readonly kind: 'whole'; readonly text: string; readonly end: number; readonly mended: boolean }
  /** The object lacked only its closing brace, which was added. */
  | { readonly kind: 'open'; readonly text: string }
  | { readonly kind: 'open-string' };

function scanObject(text: string, start: number): Scan {
  // `held`: a comma and following white space, until it is clear that no bracket closes there.
  let [out, held, depth, inString, mended] = ['', '', 0, false, false];
  for (let at = start; at < text.length; at++) {
    const character = text[at]!;
    if (inString) {
      if (character === '\\') out += character + (text[++at] ?? '');
      else if (character < ' ') {
        out += JSON.stringify(character).slice(1, -1);
        mended = true;
      } else {
        out += character;
        inString = character !== '"';
      }
      continue;
    }
    if (held !== '' && character.trim() === '') {
      held += character;
      continue;
    }
    if (character === '}' || character === ']') {
      depth--;
      mended ||= held !== '';
    } else out += held;
    held = '';
    if (character === ',') {
      held = character;
      continue;
    }
    if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth++;
    out += character;
    if (depth === 0) return { kind: 'whole', text: out, end: at + 1, mended };
  }
  if (inString || depth !== 1) return { kind: 'open-string' };
  const whole = out.trimEnd().replace(/,$/, '');
  return { kind: 'open', text: `${whole.replace(/\n?```$/, '')}}` };
}
