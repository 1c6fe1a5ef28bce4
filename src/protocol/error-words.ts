/** Anything can be thrown, also what cannot be shown. */
export function errorWords(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return 'it threw something that is not an error.';
  }
}
