/** SQLite's own number of an error, without what it adds to it. */
export function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code % 256 : undefined;
}
