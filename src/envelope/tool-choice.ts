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

/** What finds and calls deferred tools. They come with each chosen tool that is deferred: otherwise a choice would hold only for windows that list it. */
const reachingTools: readonly string[] = ['tool_search', 'call_tool'];

/** Those of the tools that a thread has. */
export function chosenTools<Known extends ChosenBy>(all: readonly Known[], choice: ToolChoice): readonly Known[] {
  const isDeferred = all.some((tool) => tool.deferred === true && isChosen(tool, choice));
  const reaches = ({ name }: Known): boolean =>
    isDeferred && reachingTools.includes(name) && !isNamed(name, choice.withoutTools ?? []);
  return all.filter((tool) => isChosen(tool, choice) || reaches(tool));
}

/** Whether a choice leaves a way to deferred tools. */
export function reachesDeferred({ withoutTools = [] }: ToolChoice): boolean {
  return !reachingTools.some((name) => isNamed(name, withoutTools));
}

interface ChosenBy {
  readonly name: string;
  readonly isOwn?: true;
  readonly deferred?: boolean;
}

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

/** Whether there could be a tool that is chosen and whose name begins so. */
export function canBeChosen(prefix: string, { onlyTools, withoutTools = [] }: ToolChoice): boolean {
  const starts = (each: string): string => (each.endsWith('*') ? each.slice(0, -1) : each);
  if (withoutTools.some((each) => each.endsWith('*') && prefix.startsWith(starts(each)))) return false;
  const fits = (each: string): boolean =>
    starts(each).startsWith(prefix) || (each.endsWith('*') && prefix.startsWith(starts(each)));
  return onlyTools === undefined || onlyTools.some(fits);
}

function isNamed(name: string, patterns: readonly string[]): boolean {
  return patterns.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name));
}

/** Whether no tool can be chosen: what brings tools need not be started. */
export function choosesNone({ onlyTools }: ToolChoice): boolean {
  return onlyTools?.length === 0;
}
