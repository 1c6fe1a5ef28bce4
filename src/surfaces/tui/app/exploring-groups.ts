import type { TurnItem } from '../../../protocol/turn-item.ts';
import { exploringCell } from '../cells/exploring-cell.ts';
import type { TranscriptEntry, Transcript } from './transcript.ts';

interface Group {
  readonly entry: TranscriptEntry;
  items: readonly TurnItem[];
  /** Something else came after it: nothing is added any more. */
  isClosed: boolean;
}

/** Calls that look around, one after the other, share a cell. */
export class ExploringGroups {
  readonly #transcript: Transcript;
  #groups: Group[] = [];

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** A call that began, or its end. */
  add(item: TurnItem): void {
    const known = this.#groups.find(({ items }) => items.some(({ id }) => id === item.id));
    const group = known ?? this.#groups.find(({ isClosed }) => !isClosed) ?? this.#begin();
    const items = group.items.some(({ id }) => id === item.id)
      ? group.items.map((each) => (each.id === item.id ? item : each))
      : [...group.items, item];
    this.#update(group, items);
  }

  /** A call that turned out to be of another kind. */
  remove(id: string): void {
    const group = this.#groups.find(({ items }) => items.some((each) => each.id === id));
    if (group === undefined) return;
    const items = group.items.filter((each) => each.id !== id);
    if (items.length > 0) return this.#update(group, items);
    this.#transcript.remove(group.entry);
    this.#groups = this.#groups.filter((each) => each !== group);
  }

  /** Something else came. */
  close(): void {
    for (const group of this.#groups) {
      group.isClosed = true;
      this.#update(group, group.items);
    }
  }

  /** Nothing runs any more. */
  end(): void {
    for (const { entry } of this.#groups) entry.isFinal = true;
    this.#groups = [];
  }

  #begin(): Group {
    const group: Group = {
      entry: this.#transcript.add({ cell: exploringCell([]), isFinal: false }),
      items: [],
      isClosed: false,
    };
    this.#groups.push(group);
    return group;
  }

  #update(group: Group, items: readonly TurnItem[]): void {
    group.items = items;
    group.entry.cell = exploringCell(items);
    const isRunning = items.some((item) => 'status' in item && item.status === 'in-progress');
    group.entry.isFinal = group.isClosed && !isRunning;
    if (group.entry.isFinal) this.#groups = this.#groups.filter((each) => each !== group);
  }
}
