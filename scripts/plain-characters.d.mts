export function plainCharacters(code: string): string;
