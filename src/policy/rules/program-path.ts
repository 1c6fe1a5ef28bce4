/** An absolute path without `.`, `..` and doubled slashes. Undefined for a path that no file can have. */
export function programPath(text: string): string | undefined {
  // A NUL byte ends a path for the kernel, so the rest would be a lie.
  if (!text.startsWith('/') || text.includes('\0')) return undefined;
  const kept: string[] = [];
  for (const name of text.split('/')) {
    if (name === '..') kept.pop();
    else if (name !== '' && name !== '.') kept.push(name);
  }
  return `/${kept.join('/')}`;
}
