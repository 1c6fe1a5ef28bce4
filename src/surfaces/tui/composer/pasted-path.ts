/** Where Capstan runs, as far as paths depend on it. */
export interface PathHost {
  /** Linux inside Windows: drives are mounted. */
  readonly isWsl: boolean;
}

export function pathHost(env: Readonly<Record<string, string | undefined>>): PathHost {
  return { isWsl: (env['WSL_DISTRO_NAME'] ?? env['WSL_INTEROP'] ?? '') !== '' };
}

/**
 * The one path that a pasted text is, without quotes and escapes; undefined: it is some other text. Terminals paste a
 * file that is dropped on them so.
 */
export function pastedPath(pasted: string, { isWsl }: PathHost): string | undefined {
  const text = pasted.trim();
  if (text.length < 2 || text.length > 4096 || text.includes('\n')) return undefined;
  if (/^file:\/\//i.test(text)) return urlPath(text, isWsl);
  const [, quoted] = /^'([^']+)'$|^"([^"]+)"$/.exec(text)?.filter((part) => part !== undefined) ?? [];
  const bare = quoted ?? text;
  if (/^[A-Za-z]:[\\/]/.test(bare)) return isWsl ? drivePath(bare) : bare;
  if (/^\\\\[^\\]+\\/.test(bare)) return bare;
  if (quoted !== undefined) return quoted;
  // A blank that is not escaped stands between words.
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
function drivePath(path: string): string {
  return `/mnt/${path.slice(0, 1).toLowerCase()}/${path.slice(3).replaceAll('\\', '/')}`;
}
