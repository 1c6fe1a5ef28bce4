import type { JsonObject } from '../../protocol/json.ts';

/**
 * Members under names in snake case, as everything that is printed for programs. Only these names: values are printed
 * as they are.
 */
export function snakeCased(members: object): JsonObject {
  const inSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [inSnakeCase(name), value]));
}
