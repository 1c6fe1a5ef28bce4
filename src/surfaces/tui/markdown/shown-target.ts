import { cleanLine } from '../text/clean.ts';
import type { Look } from '../text/look.ts';
import { shownPath } from '../text/shown-path.ts';

/** A file by its path and lines, an address, or nothing that can be shown. */
export type ShownTarget =
  | { readonly kind: 'file'; readonly text: string }
  | { readonly kind: 'address'; readonly text: string }
  | { readonly kind: 'none' };

export function shownTarget(target: string, look: Pick<Look, 'cwd' | 'home'>): ShownTarget {
  if (target === '' || target.startsWith('#')) return { kind: 'none' };
  // One letter is a drive of Windows.
  const isAddress = /^[a-z][a-z0-9+.-]+:/i.test(target) && !/^file:/i.test(target);
  if (isAddress && !/^[\w.-]+\.\w+:\d/.test(target)) return { kind: 'address', text: cleanLine(target) };
  const [path = '', ...hash] = target.replace(/^file:(?:\/\/)?/i, '').split('#');
  return { kind: 'file', text: `${shownPath(decoded(path), look)}${lineWords(hash.join('#'))}` };
}

/** `#L10`, `#L10-L20`, `#L10C3`, `#10-20`: all of them as `:10` or `:10-20`. */
function lineWords(hash: string): string {
  const [, from, to] = /^L?(\d{1,9})(?:C\d{1,9})?(?:-L?(\d{1,9})(?:C\d{1,9})?)?$/.exec(hash) ?? [];
  if (from === undefined) return hash === '' ? '' : `#${cleanLine(hash)}`;
  return to === undefined || to === from ? `:${from}` : `:${from}-${to}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
