import { fullText } from '../../../protocol/outcome.ts';
import { changedKeys, changeLines, type KeyChange } from '../keys/change-keys.ts';
import { actionId, defaultKeys } from '../keys/key-action.ts';
import { fixedKeys } from '../keys/key-actions.ts';
import { defaultKeyMap, type KeyBinding, type KeyMap } from '../keys/key-map.ts';
import { shownKey } from '../keys/key-name.ts';
import { collide, rivalsOf } from '../keys/key-place.ts';
import { readKeyMap } from '../keys/read-key-map.ts';
import { askKeyboard } from '../screen/terminal-modes.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cleanLines } from '../text/clean.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, type Piece, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import { DetailedList } from '../views/detailed-list.ts';
import { KeyCaptureView } from '../views/key-capture-view.ts';
import { type ListItem, ListView } from '../views/list-view.ts';
import type { CommandSession } from './command-session.ts';
import { bindingLines, keymapItems, keyWords, sameKeys, unsentLine } from './keymap-rows.ts';
import { keyChangeWords, takenWords } from './keymap-words.ts';

interface Choice extends ListItem {
  run(): void;
}

/** Binds keys: a list of all actions, what to do with the keys of one, and the key itself. What is saved holds at once. */
export class KeymapEditor {
  readonly #session: CommandSession;
  readonly #list: DetailedList;
  /** What came of the last change. */
  #said = '';
  /** Whether the terminal tells keys with modifiers apart; undefined: it has not answered. */
  #tellsApart: boolean | undefined;

  constructor(session: CommandSession) {
    this.#session = session;
    this.#list = new DetailedList({
      title: 'Keys',
      items: keymapItems(this.#map, (binding) => this.#boundAt(binding)),
      isSearched: true,
      hint: (key) => `Type to search, ${key('Enter')} changes the keys, ${key('Esc')} closes`,
      pick: (index) => this.#pick(index),
      details: (index, look) => this.#details(index, look),
      reported: (input) => this.#reported(input),
      close: () => session.parts.stage.open(undefined),
    });
  }

  open(): void {
    const { stage } = this.#session.parts;
    stage.open(this.#list);
    stage.send(askKeyboard);
  }

  get #map(): KeyMap {
    return this.#session.parts.stage.look.keys ?? defaultKeyMap;
  }

  #boundAt({ boundAt }: KeyBinding): string | undefined {
    if (boundAt === undefined) return undefined;
    return this.#session.parts.engine.config.sourceOf(boundAt.split('.')) ?? boundAt;
  }

  #reported(input: TerminalInput): void {
    if (input.kind !== 'answer') return;
    if (input.about === 'keyboard') this.#tellsApart = true;
    else this.#tellsApart ??= false;
  }

  #details(index: number | undefined, look: Look): readonly Row[] {
    const binding = index === undefined ? undefined : this.#map.bindings[index];
    const about =
      binding === undefined
        ? []
        : [
            ...bindingLines(binding, this.#boundAt(binding), look),
            this.#tellsApart === false ? unsentLine(binding) : '',
          ];
    const rows = (piece: Piece): readonly Row[] =>
      piece.text === '' ? [] : wrapRow([piece], { width: look.width, first: [plain('  ')] });
    const said = cleanLines(this.#said).flatMap((line) => rows(plain(line)));
    return [...said, ...about.flatMap((line) => rows(styled(line, dimStyle)))];
  }

  #pick(index: number): void {
    this.#said = '';
    const binding = this.#map.bindings[index];
    if (binding !== undefined) return this.#choose(binding);
    const fixed = Object.entries(fixedKeys)[index - this.#map.bindings.length];
    if (fixed !== undefined) this.#said = `${shownKey(fixed[0])} is fixed: it ${fixed[1]}. It cannot be bound.`;
  }

  /** What to do with the keys of an action. */
  #choose(binding: KeyBinding): void {
    const { action, keys, boundAt } = binding;
    const hasKey = keys.length > 0;
    const change = (made: KeyChange) => (): void => this.#save(binding, made);
    const press: Choice = {
      label: hasKey ? 'Press another key' : 'Press a key',
      ...(hasKey ? { about: `in the place of ${keyWords(keys)}` } : {}),
      run: () => this.#capture(binding, 'replace'),
    };
    const add: Choice = {
      label: 'Add a key',
      about: `${keyWords(keys)} ${keys.length > 1 ? 'stay' : 'stays'}`,
      run: () => this.#capture(binding, 'add'),
    };
    const removed = keys.map((strokes): Choice => ({
      label: `Remove ${shownKey(strokes)}`,
      run: change({ kind: 'remove', strokes }),
    }));
    // Without it, no list could be used, this one included.
    const mayBeNone = actionId(action) !== 'list.accept';
    const none: Choice = { label: 'Unbind', about: 'no key does it', run: change({ kind: 'unbind' }) };
    const usual: Choice = {
      label: 'Back to the default',
      about: keyWords(defaultKeys(action)),
      run: change({ kind: 'default' }),
    };
    this.#ask(`Keys of ${actionId(action)}`, [
      press,
      ...(hasKey ? [add] : []),
      ...(keys.length > 1 ? removed : []),
      ...(hasKey && mayBeNone ? [none] : []),
      ...(boundAt === undefined ? [] : [usual]),
    ]);
  }

  #ask(title: string, choices: readonly Choice[]): void {
    const { stage } = this.#session.parts;
    const close = (): void => stage.open(this.#list);
    stage.open(new ListView({ title, items: choices, pick: (index) => choices[index]?.run(), close }));
  }

  #capture(binding: KeyBinding, kind: 'replace' | 'add'): void {
    const { stage, now } = this.#session.parts;
    stage.open(
      new KeyCaptureView({
        action: binding.action,
        note: () => (this.#tellsApart === false ? sameKeys : ''),
        captured: (strokes) => this.#captured(binding, { kind, strokes }),
        reported: (input) => this.#reported(input),
        now,
        draw: () => stage.draw(),
        close: () => this.#choose(binding),
      }),
    );
  }

  /** A key that another action has is given to this one after a question alone. */
  #captured(binding: KeyBinding, change: KeyChange & { readonly kind: 'replace' | 'add' }): void {
    const { strokes } = change;
    const rivals = rivalsOf(this.#map, binding.action, strokes);
    if (rivals.length === 0) return this.#save(binding, change);
    const names = rivals.map(({ action }) => actionId(action)).join(' and ');
    const left = rivals
      .map(
        ({ action, keys }) => `${actionId(action)} then has ${keyWords(keys.filter((key) => !collide(key, strokes)))}`,
      )
      .join(', ');
    this.#ask(`${takenWords(rivals, strokes)} ${names}`, [
      { label: 'Press another key', run: () => this.#capture(binding, change.kind) },
      {
        label: 'Take it',
        about: left,
        run: () => this.#save(binding, change),
      },
    ]);
  }

  #save(binding: KeyBinding, change: KeyChange): void {
    this.#session.parts.stage.open(this.#list);
    this.#session.inBackground(this.#saved(binding, change));
  }

  async #saved(binding: KeyBinding, change: KeyChange): Promise<void> {
    const { engine, stage } = this.#session.parts;
    const { action } = binding;
    const isInGlobal = engine.config.sourceOf(['tui', 'keymap', 'global', action.name]) !== undefined;
    const problem = await engine.config.saveKeymap(changeLines(this.#map, binding, change, isInGlobal));
    stage.changeLook({ keys: readKeyMap(engine.config.tui.keymap).map });
    this.#list.update({ items: keymapItems(this.#map, (each) => this.#boundAt(each)) });
    const now = this.#map.bindings.find((each) => actionId(each.action) === actionId(action)) ?? binding;
    this.#said =
      problem === undefined
        ? keyChangeWords(this.#map, now, { wanted: changedKeys(binding, change), at: this.#boundAt(now) })
        : fullText(problem);
    stage.draw();
  }
}
