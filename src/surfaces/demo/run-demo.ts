export async function runDemo(_words: readonly string[]): Promise<number> {
  return 0;
}
