import type { Draft } from '../composer/draft.ts';
import type { DraftDoors } from './draft-doors.ts';

/** A list below the draft that follows what is typed. */
export interface DraftList {
  readonly isOpen: boolean;
  update(draft: Draft): void;
  /** Behind the last is the first. */
  move(by: 1 | -1): void;
  close(): void;
}

interface LoadedListParts<List extends DraftList> {
  draft(): Draft;
  /** Of what the list is made. Undefined: the draft has nothing that it is for, or the engine is not there yet. */
  doorsFor(draft: Draft): DraftDoors | undefined;
  load(doors: DraftDoors): Promise<List>;
  /** There is something else to be seen. */
  changed(): void;
  /** What goes wrong with it is shown. */
  run(work: Promise<unknown>): void;
}

/** A list that is loaded when the first draft needs it, and the keys that all such lists have. */
export class LoadedList<List extends DraftList> {
  readonly #parts: LoadedListParts<List>;
  #list: List | 'loading' | undefined;

  constructor(parts: LoadedListParts<List>) {
    this.#parts = parts;
  }

  get isLoading(): boolean {
    return this.#list === 'loading';
  }

  /** Undefined: it is not loaded yet. */
  get loaded(): List | undefined {
    return this.#list === 'loading' ? undefined : this.#list;
  }

  /** The list, while it is there. */
  get open(): List | undefined {
    return this.loaded?.isOpen === true ? this.loaded : undefined;
  }

  /** The draft may be another one. */
  update(draft: Draft): void {
    if (this.#list !== undefined) return this.loaded?.update(draft);
    const doors = this.#parts.doorsFor(draft);
    if (doors !== undefined) this.#parts.run(this.#load(doors));
  }

  /** False: the key is for others. */
  input(name: string): boolean {
    const list = this.open;
    if (list === undefined) return false;
    if (name === 'up' || name === 'ctrl+p') list.move(-1);
    else if (name === 'down' || name === 'ctrl+n') list.move(1);
    else if (name === 'escape') list.close();
    else return false;
    return true;
  }

  async #load(doors: DraftDoors): Promise<void> {
    const { load, draft, changed } = this.#parts;
    this.#list = 'loading';
    const list = await load(doors);
    this.#list = list;
    list.update(draft());
    changed();
  }
}
