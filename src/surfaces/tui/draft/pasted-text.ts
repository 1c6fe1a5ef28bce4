import { valueOr } from '../../../base/objects.ts';
import { withoutHidden } from '../screen/text/clean-text.ts';
import { hasImageName, insertPicture, pasteLabel, pasteLabels } from './draft-elements.ts';
import { type Draft, type DraftElement, insertInto, replaceRange } from './draft.ts';

const longPaste = 1000;

export function isLongPaste(text: string): boolean {
  // A character has at most two UTF-16 units.
  return text.length > 2 * longPaste || (text.length > longPaste && [...text].length > longPaste);
}

export function pasteInto(draft: Draft, pasted: string): Draft {
  const text = cleanPastedText(pasted);
  if (!isLongPaste(text)) return insertInto(draft, text);
  const { cursor } = draft;
  return replaceRange(draft, [cursor, cursor], pasteLabel(text, pasteLabels(draft)), { kind: 'paste', text });
}

/** Replaces the text of a paste. Empty text removes it. */
export function replacePastedText(draft: Draft, { start, end, payload }: DraftElement, text: string): Draft {
  if (payload.kind === 'paste' && payload.text === text) return draft;
  const without = replaceRange(draft, [start, end], '');
  if (text === '') return without;
  return replaceRange(without, [start, start], pasteLabel(text, pasteLabels(without)), { kind: 'paste', text });
}

/** Removes terminal control sequences and what the composer cannot show. Lines end with LF. */
export const cleanPastedText = (pasted: string): string =>
  withoutHidden(
    pasted
      // oxlint-disable-next-line no-control-regex -- these are what is looked for
      .replaceAll(/\u001B\[[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)/g, '')
      .replaceAll(/\r\n?/g, '\n')
      .replaceAll(/[^\P{Cc}\n\t]/gu, ''),
  );

/** The platform, as far as paths depend on it. */
export interface PastedPathPlatform {
  /** Windows drives are mounted. */
  readonly isWsl: boolean;
}

export const pathPlatform = (env: Readonly<Record<string, string | undefined>>): PastedPathPlatform => ({
  isWsl: (env['WSL_DISTRO_NAME'] ?? env['WSL_INTEROP'] ?? '') !== '',
});

/** The path, if the text is one as terminals paste it for a dropped file. Undefined for other text. */
export function pastedPath(pasted: string, { isWsl }: PastedPathPlatform): string | undefined {
  const text = pasted.trim();
  if (text.length < 2 || text.length > 4096 || text.includes('\n')) return undefined;
  if (/^file:\/\//i.test(text)) return urlPath(text, isWsl);
  const [, quoted] = /^'([^']+)'$|^"([^"]+)"$/.exec(text)?.filter((part) => part !== undefined) ?? [];
  const bare = quoted ?? text;
  if (/^[A-Za-z]:[\\/]/.test(bare)) return isWsl ? drivePath(bare) : bare;
  if (/^\\\\[^\\]+\\/.test(bare)) return bare;
  if (quoted !== undefined) return quoted;
  // Unescaped blanks separate words.
  if (/(?<!\\)\s/.test(text)) return undefined;
  return text.replaceAll(/\\(.)/g, '$1');
}

function urlPath(text: string, isWsl: boolean): string | undefined {
  try {
    const { hostname, pathname } = new URL(text);
    const path = decodeURIComponent(pathname);
    if (/^\/[A-Za-z]:\//.test(path)) return isWsl ? drivePath(path.slice(1)) : path.slice(1);
    return hostname === '' || hostname === 'localhost' ? path : undefined;
  } catch {
    return undefined;
  }
}

/** `C:\a b` is `/mnt/c/a b`. */
const drivePath = (path: string): string =>
  `/mnt/${path.slice(0, 1).toLowerCase()}/${path.slice(3).replaceAll('\\', '/')}`;

/** Inserts the picture whose path was pasted; undefined: it is other text. */
export function insertPastedPicture(draft: Draft, pasted: string, env: NodeJS.ProcessEnv): Draft | undefined {
  const path = pastedPath(pasted, pathPlatform(env));
  if (path === undefined || !hasImageName(path) || !isFile(path)) return undefined;
  return insertPicture(draft, path);
}

function isFile(path: string): boolean {
  const { statSync } = process.getBuiltinModule('node:fs');
  return valueOr(false, () => statSync(path).isFile());
}
