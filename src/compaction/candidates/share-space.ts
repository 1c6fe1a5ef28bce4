/** A message of at most so many characters (UTF-16 units) is short. */
export const mostOfShort = 2000;

/** A message that wants space in a checkpoint, in tokens. */
export interface SpaceWanted {
  /** All of it, with the marks around it. */
  readonly whole: number;
  /** 2,000 characters of a long message, with the marks around them. Absent: the message is short. */
  readonly shortened?: number;
  /** However little space there is, the message gets this. Absent: it may be left out. */
  readonly least?: number;
  /** The checkpoint names it as the request that defines the active task. */
  readonly isActive?: true;
  /** A hook or a program wrote it: these share a part of the space. */
  readonly isSetup?: true;
}

/** The active request keeps at most this part of the space. */
const activeShare = 0.5;
/** Hooks and programs share this part of the space. */
const setupShare = 0.25;
/** Less of a message than this is not worth its space. */
const leastWorthwhile = 112;

/**
 * Divides the space of a checkpoint among messages, which come in the order in which they go before each other. Gives
 * the tokens of each; 0: it is left out.
 *
 * Short messages are kept whole first. Long ones share what is left. So no short message is left out while a longer one
 * keeps more than 2,000 characters; only the active request may, and then it keeps at most half of the space.
 */
export function shareSpace(messages: readonly SpaceWanted[], space: number): readonly number[] {
  const given = messages.map(({ least = 0 }) => least);
  const left = { user: space, setup: Math.floor(space * setupShare) };
  const take = ({ isSetup }: SpaceWanted, tokens: number): void => {
    left.user -= tokens;
    if (isSetup) left.setup -= tokens;
  };
  const freeFor = ({ isSetup }: SpaceWanted): number =>
    Math.max(0, isSetup ? Math.min(left.user, left.setup) : left.user);
  for (const [at, message] of messages.entries()) take(message, given[at]!);

  const half = Math.floor(space * activeShare);
  const lacks = { user: false, setup: false };
  let active = 0;
  for (const [at, message] of messages.entries()) {
    const { whole, shortened, least = 0, isActive, isSetup } = message;
    // A long one that may be left out waits until all short ones have theirs.
    if (shortened !== undefined && least === 0) continue;
    const speaker = isSetup ? 'setup' : 'user';
    const most = isActive ? Math.max(shortened ?? 0, half - active) : (shortened ?? whole);
    const wanted = Math.max(least, shortened === undefined ? whole : Math.min(whole, most));
    const isOver = least === 0 && lacks[speaker];
    const more = isOver ? 0 : Math.min(wanted - least, freeFor(message));
    if (shortened === undefined && more < wanted - least) lacks[speaker] = true;
    if (least === 0 && more < wanted && more < leastWorthwhile) continue;
    given[at] = least + more;
    take(message, more);
    if (isActive) active += given[at];
  }
  if (lacks.user) return given;

  const long = [...messages.keys()].filter((at) => messages[at]!.shortened !== undefined);
  const [setups, own] = [long.filter((at) => messages[at]!.isSetup), long.filter((at) => !messages[at]!.isSetup)];
  const wholes = (at: number): number => messages[at]!.whole;
  // The share of hooks and programs limits how much each of them wants beside the user.
  const ofSetup = fill(worthwhile(lacks.setup ? [] : setups, left.setup), left.setup, wholes);
  const wants = (at: number): number => ofSetup.get(at) ?? wholes(at);
  const sharing = worthwhile(
    [...own, ...ofSetup.keys()].toSorted((a, b) => a - b),
    left.user,
  );
  for (const [at, tokens] of fill(sharing, left.user, wants)) given[at] = tokens;
  return given;

  /** Those that have something already, and of the others as many as get enough to be worth it. */
  function worthwhile(some: readonly number[], free: number): readonly number[] {
    let others = Math.floor(free / leastWorthwhile);
    return some.filter((at) => given[at]! > 0 || others-- > 0);
  }

  /** Raises what each has to one level, the highest that there is space for, but to no more than it wants. */
  function fill(some: readonly number[], free: number, wanted: (at: number) => number): ReadonlyMap<number, number> {
    const raised = (at: number, level: number): number => Math.max(given[at]!, Math.min(wanted(at), level));
    const costs = (level: number): number => some.reduce((sum, at) => sum + raised(at, level) - given[at]!, 0);
    let [low, high] = [0, some.reduce((most, at) => Math.max(most, wanted(at)), 0)];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (costs(middle) <= free) low = middle;
      else high = middle - 1;
    }
    return new Map(some.map((at) => [at, raised(at, low)]));
  }
}
