import { isJsonObject } from './json.ts';

/**
 * What of a text no name, path, argument or file of ours can hold, for a sentence; undefined when there is nothing. A
 * zero byte ends a text for the system, and half of a surrogate pair has no form in UTF-8.
 */
export function oddText(text: string): string | undefined {
  if (text.includes('\0')) return 'a zero byte';
  return text.isWellFormed() ? undefined : halfCharacter;
}

export const halfCharacter = 'half of a character (a lone surrogate)';

/** No argument has more levels. */
const mostLevels = 100;

/** The first odd text in a value, names included, and where: `a.b[0]`. Nesting without end is as odd. */
export function oddMember(
  value: unknown,
  levels: number = mostLevels,
): { readonly at: string; readonly what: string } | undefined {
  if (levels === 0) return { at: '', what: `more than ${mostLevels} levels` };
  if (typeof value === 'string') {
    const what = oddText(value);
    return what === undefined ? undefined : { at: '', what };
  }
  if (Array.isArray(value)) {
    for (const [index, member] of value.entries()) {
      const odd = oddMember(member, levels - 1);
      if (odd !== undefined) return { ...odd, at: `[${index}]${odd.at}` };
    }
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const inName = oddText(key);
    if (inName !== undefined) return { at: '', what: inName };
    const odd = oddMember(member, levels - 1);
    if (odd !== undefined)
      return { ...odd, at: `${key}${odd.at === '' || odd.at.startsWith('[') ? '' : '.'}${odd.at}` };
  }
  return undefined;
}
