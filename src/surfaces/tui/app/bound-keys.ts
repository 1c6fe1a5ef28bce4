import { ChordKeys, pendingMs } from '../keys/chord-keys.ts';
import { defaultKeyMap, type KeyGroup } from '../keys/key-map.ts';
import type { KeyPress, TerminalInput } from '../screen/terminal-input.ts';
import type { TuiStage } from './stage.ts';

/** What lists for a draft know. All other keys edit the draft, also while such a list is open. */
const ofDraftLists = new Set(['move_up', 'move_down', 'accept', 'cancel']);

/** Gives keys the meaning that the user's key map says, before what has the keyboard gets them. */
export class BoundKeys {
  readonly #stage: TuiStage;
  readonly #chords: ChordKeys;
  #timer: NodeJS.Timeout | undefined;

  constructor(stage: TuiStage) {
    this.#stage = stage;
    this.#chords = new ChordKeys(() => stage.look.now);
  }

  /** Undefined: nothing is to be done before the next key. `listed`: a list for the draft is open. */
  read(input: TerminalInput, listed: boolean): TerminalInput | undefined {
    if (input.kind !== 'key') return input;
    const { pager, view } = this.#stage;
    const top = pager ?? view;
    const group = top === undefined ? (listed ? this.#listGroup(input) : 'composer') : (top.keys ?? ofRoom(pager));
    if (group === 'raw') return input;
    // What types into a field is no command.
    if (top !== undefined && input.text !== '' && (top.takesText === true || group === 'editor')) return input;
    const { keys = defaultKeyMap } = this.#stage.look;
    const meant = this.#chords.press(keys, group, input);
    this.#show();
    return meant;
  }

  /** Above a draft, the keys of a list count first. Those that type go into the draft. */
  #listGroup({ name, text }: KeyPress): KeyGroup {
    const { keys = defaultKeyMap } = this.#stage.look;
    const action = keys.byKey.list.get(name);
    const isOfList = action !== undefined && ofDraftLists.has(action.name) && action.more?.includes(name) !== true;
    return text === '' && isOfList ? 'list' : 'composer';
  }

  #show(): void {
    clearTimeout(this.#timer);
    const { pending } = this.#chords;
    this.#stage.pendingKey = pending;
    if (pending === undefined) return;
    this.#timer = setTimeout(() => {
      this.#stage.pendingKey = undefined;
      this.#stage.draw();
    }, pendingMs);
    this.#stage.draw();
  }
}

function ofRoom(pager: unknown): KeyGroup {
  return pager === undefined ? 'list' : 'pager';
}
