/** No tool has a longer name, but a model may call for any. */
const longest = 120;

/** The name of a tool as it is shown. */
export function shownName(name: string): string {
  return name.length > longest ? `${name.slice(0, longest)}…` : name;
}
