const mostCharacters = 300;

/** A path for a message, of a long one the beginning and the end. */
export function quotedPath(path: string): string {
  const half = mostCharacters / 2;
  return JSON.stringify(path.length > mostCharacters ? `${path.slice(0, half)}…${path.slice(-half)}` : path);
}
