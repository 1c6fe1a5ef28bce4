const shownNames: ReadonlyMap<string, string> = new Map([
  ['location', 'path'],
  ['locations', 'paths'],
]);

/** What JSON shows of a thread or an operation. There a location has been called a path from the start. */
export function withPaths(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [shownNames.get(name) ?? name, field]));
}
