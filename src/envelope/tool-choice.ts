/**
 * Which tools a thread has, of all that there are. A name that ends with `*` stands for all names that begin so, such as
 * `mcp__*`.
 */
export interface ToolChoice {
  /** No others, also none that a later version adds. Empty: no tools at all. Absent: all. */
  readonly onlyTools?: readonly string[];
  /** None of these. */
  readonly withoutTools?: readonly string[];
}

/** A tool is of no use without this one, and has no choice of its own where that is chosen. */
const companionOf: Readonly<Record<string, string>> = { write_stdin: 'exec_command' };

/** `isOwn`: it comes from the one who chooses, so that the choice is not about it. */
export function isChosen(
  { name, isOwn }: { readonly name: string; readonly isOwn?: true },
  { onlyTools, withoutTools = [] }: ToolChoice,
): boolean {
  if (isOwn === true) return true;
  const names = [name, ...(companionOf[name] === undefined ? [] : [companionOf[name]])];
  if (names.some((each) => isNamed(each, withoutTools))) return false;
  return onlyTools === undefined || names.some((each) => isNamed(each, onlyTools));
}

function isNamed(name: string, patterns: readonly string[]): boolean {
  return patterns.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name));
}

/** Whether no tool can be chosen: what brings tools need not be started. */
export function choosesNone({ onlyTools }: ToolChoice): boolean {
  return onlyTools?.length === 0;
}
