export function eagerFunctions(code: string): string;
