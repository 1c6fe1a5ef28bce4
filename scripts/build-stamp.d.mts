/** What the tests use of it. */
export function isBuilt(root: string): boolean;
