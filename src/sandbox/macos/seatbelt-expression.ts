import type { NamePart } from '../../base/name-machine.ts';
import { parseGlob } from '../../policy/glob.ts';

/** A glob as a regular expression of Seatbelt's dialect, which has neither look-ahead nor nameless groups. */
export function globExpression(glob: string): string {
  const parts = parseGlob(glob);
  // A deny that makes no sense denies everything.
  return parts === undefined ? '^/' : `^${parts.map(partExpression).join('')}(/|$)`;
}

/** The same for folders that match as a whole, and not what is in them. */
export function folderExpression(glob: string): string {
  const parts = parseGlob(glob);
  return parts === undefined ? '^/' : `^${parts.map(partExpression).join('')}$`;
}

/** Text that stands for itself. */
export function literalExpression(text: string): string {
  return [...text].map(characterExpression).join('');
}

/** The same for every way to write the letters large and small. */
export function anyCase(text: string): string {
  return [...text]
    .map((character) =>
      /[a-z]/i.test(character)
        ? `[${character.toLowerCase()}${character.toUpperCase()}]`
        : characterExpression(character),
    )
    .join('');
}

/** What could end the expression, or is compared byte by byte, becomes "anything": it only ever denies. */
function characterExpression(character: string): string {
  if (/[a-z0-9/_ -]/i.test(character)) return character;
  return /[!-~]/.test(character) && character !== '"' && character !== '\\'
    ? `[${character === '^' ? '\\^' : character}]`
    : '.+';
}

const expressions = {
  one: '[^/]',
  some: '[^/]*',
  folders: '(.*/)?',
  anything: '.*',
  open: '(',
  or: '|',
  close: ')',
} as const;

function partExpression(part: NamePart): string {
  if (part.kind === 'text') return characterExpression(part.text);
  return part.kind === 'class' ? classExpression(part) : expressions[part.kind];
}

function classExpression({ negated, ranges }: Extract<NamePart, { kind: 'class' }>): string {
  const isSimple = ranges.every(([from, to]) => /[a-z0-9._]/i.test(from) && /[a-z0-9._]/i.test(to));
  if (!isSimple) return '[^/]';
  return `[${negated ? '^/' : ''}${ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join('')}]`;
}
