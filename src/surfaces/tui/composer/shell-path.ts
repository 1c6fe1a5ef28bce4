import { shellQuoted } from '../../../protocol/shell-words.ts';

/** Signs that mean nothing to a shell, wherever they stand in a word. */
const harmless = /^[\w./][\w./@%+:,-]*$/;

/** A path as one word of a command, which no program takes for an option. */
export function shellPath(path: string): string {
  const named = path.startsWith('-') ? `./${path}` : path;
  return harmless.test(named) ? named : shellQuoted(named);
}

/**
 * Whole quotations, escaped signs, and what begins neither of them, nor a comment, nor a text up to a mark, nor a place
 * where a shell reads a calculation: `((`, `$[`, `name[`, `${name:`. There it runs `$()` in spite of quotes.
 */
const outside =
  /^(?:[^'"\\`#<$([]|'[^']*'|"(?:[^"\\`$]|\$\w)*"|\\.|<(?!<)|(?<=[^\s;&|()])#|\((?!\()|(?<!\w)\[|\[(?=[^[\]]*\])|\$(?!['"[]|\(\(|\{(?![^}$]*\})|$))*$/s;

/**
 * Whether quotes around a word mean what they should behind this part of a command. Inside of other quotes they would end
 * those, and the word would be read as a part of the command. In doubt they do not.
 */
export function canQuoteBehind(before: string): boolean {
  return outside.test(before);
}
