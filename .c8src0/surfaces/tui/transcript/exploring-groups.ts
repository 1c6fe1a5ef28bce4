import type { TurnItem } from '../../../protocol/turn-item.ts';
import { exploringCell } from './cells/exploring-cell.ts';
import type { TranscriptEntry, Transcript } from './transcript.ts';

interface Group {
  readonly entry: TranscriptEntry;
  items: readonly TurnItem[];
  /** `passed`: something else ended after it, but calls parallel to those of the group still join it. */
  state: 'open' | 'passed' | 'closed';
  /** Number of items that had ended when the model last answered: they keep their place. */
  settled: number;
}

/** Exploring calls, one after the other or in parallel, share a cell, in the order in which they ended. */
export class ExploringGroups {
  readonly #transcript: Transcript;
  #groups: Group[] = [];

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  add(item: TurnItem): void {
    const group = this.#groupOf(item) ?? this.#begin();
    const at = group.items.findIndex(({ id }) => id === item.id);
    if (isRunning(item)) return this.#update(group, at < 0 ? [...group.items, item] : group.items.with(at, item));
    const there = this.#ended(group);
    const others = there.items.filter(({ id }) => id !== item.id);
    this.#update(there, others.toSpliced(others.findLastIndex(isOver) + 1, 0, item));
  }

  /** A failed call is shown alone after the others. */
  fail(item: TurnItem): void {
    const group = this.#groupOf(item);
    if (group !== undefined && group.settled < group.items.length) this.#ended(group);
    this.remove(item.id);
  }

  /** Adds a thought between two exploring calls. False if no group is open. */
  think(item: TurnItem): boolean {
    const group = this.#groups.find(({ state }) => state === 'open');
    if (group !== undefined) this.#update(group, [...group.items, item]);
    return group !== undefined;
  }

  remove(id: string): void {
    const group = this.#groups.find(({ items }) => items.some((each) => each.id === id));
    if (group === undefined) return;
    const items = group.items.filter((each) => each.id !== id);
    if (items.length > 0) return this.#update(group, items);
    this.#transcript.remove(group.entry);
    this.#groups = this.#groups.filter((each) => each !== group);
  }

  /** Call when something ended that may have run in parallel to the calls of the group. */
  pass(): void {
    for (const group of this.#groups) {
      if (group.state === 'open') group.state = 'passed';
      if (group.settled > 0 && group.items.some(isRunning)) this.#split(group);
      else this.#update(group, group.items);
    }
  }

  /** Call when something came that follows the calls of the groups. */
  close(): void {
    for (const group of this.#groups) this.#close(group);
  }

  /** The model has answered: later calls are not parallel to any that have ended. */
  answered(): void {
    for (const group of this.#groups) {
      const over = group.items.filter(isOver);
      group.settled = over.length;
      this.#update(group, [...over, ...group.items.filter(isRunning)]);
      if (group.state === 'passed' && over.length === group.items.length) this.#close(group);
    }
  }

  end(): void {
    for (const { entry } of this.#groups) entry.isFinal = true;
    this.#groups = [];
  }

  #begin(): Group {
    const entry = this.#transcript.add({ cell: exploringCell([]), isFinal: false });
    const group: Group = { entry, items: [], state: 'open', settled: 0 };
    this.#groups.push(group);
    return group;
  }

  #groupOf(item: TurnItem): Group | undefined {
    const known = this.#groups.find(({ items }) => items.some(({ id }) => id === item.id));
    return known ?? this.#groups.findLast((group) => this.#takes(group, item));
  }

  /** A file records only the ends of calls: calls that ended between two answers of the model ran in parallel. */
  #takes({ entry, items, state }: Group, item: TurnItem): boolean {
    if (state !== 'passed') return state === 'open';
    return isRunning(item) ? items.some(isRunning) : !this.#transcript.isPrinted(entry);
  }

  /** Moves a group to where its last call ended, and continues it there. */
  #ended(group: Group): Group {
    if (group.state === 'open') return group;
    const there = group.state === 'passed' && group.settled > 0 ? this.#split(group) : group;
    this.#transcript.moveBehindEnded(there.entry);
    if (there.state === 'passed') there.state = 'open';
    return there;
  }

  /** Splits a group, because something else came between: earlier items stay. Returns a new group with the others. */
  #split(group: Group): Group {
    const rest = this.#begin();
    rest.state = 'passed';
    this.#update(rest, group.items.slice(group.settled));
    group.items = group.items.slice(0, group.settled);
    this.#close(group);
    return rest;
  }

  #close(group: Group): void {
    group.state = 'closed';
    this.#update(group, group.items);
  }

  #update(group: Group, items: readonly TurnItem[]): void {
    group.items = items;
    group.entry.cell = exploringCell(items);
    group.entry.isFinal = group.state !== 'open' && !items.some(isRunning);
    if (group.entry.isFinal && group.state === 'closed') this.#groups = this.#groups.filter((each) => each !== group);
  }
}

const isOver = (item: TurnItem): boolean => !isRunning(item);
const isRunning = (item: TurnItem): boolean => 'status' in item && item.status === 'in-progress';
