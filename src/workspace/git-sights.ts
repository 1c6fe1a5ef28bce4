/** Git takes a folder with these for a repository, whatever its name is. */
const bareParts = ['HEAD', 'objects', 'refs'] as const;

export function isBareRepository(names: readonly string[]): boolean {
  return bareParts.every((part) => names.includes(part));
}
