import { countColumns } from '../../../../base/text-columns.ts';
import type { KeymapLine } from '../../../../engine/home/save-keymap.ts';
import { outcomeText } from '../../../../protocol/outcome.ts';
import { paddingBlanks, listMargin, drawCutRows } from '../../pages/list-parts.ts';
import { type ListItem, ListView } from '../../pages/list-view.ts';
import { type KeyAction, actionId, defaultKeys, fixedKeys } from '../../screen/keys/key-actions.ts';
import { type KeyBinding, type KeyMap, defaultKeyMap, chordMs } from '../../screen/keys/key-map.ts';
import { shownKey, strokesForConfig } from '../../screen/keys/key-names.ts';
import { conflictingBindings, parseKeyMap, strokesCollide, unfitKey } from '../../screen/keys/read-key-map.ts';
import type { TerminalInput } from '../../screen/terminal/terminal-port.ts';
import { keyboardQuery } from '../../screen/terminal/terminal-sequences.ts';
import { cleanLine, cleanLines } from '../../screen/text/clean-text.ts';
import { shownPath } from '../../screen/text/format-values.ts';
import { type Look, glyphsOf } from '../../screen/text/look.ts';
import { type Row, dimStyle, plain, styled, accentStyle, boldStyle, warnStyle } from '../../screen/text/style.ts';
import { wrapIn } from '../../screen/text/wrap-row.ts';
import type { TuiSession } from '../../session/session.ts';
import { formatCount } from '../../../../engine/wording.ts';
import type { Frame, View } from '../../screen/view.ts';

export function runKeymapCommand(session: TuiSession, rest: string): void {
  const { stage, now } = session.parts;
  const close = (): void => stage.open(undefined);
  if (rest === '') return new KeymapEditor(session).open();
  if (rest === 'debug') return stage.open(keyDebugView({ now, draw: () => stage.draw(), close }));
  session.notice('/keymap lists the keys and binds them, /keymap debug shows what the terminal sends.');
}

type Choice = ListItem & { run(): void };

/** Binds keys: a list of all actions, the changes for one action, then a key press. A saved change applies at once. */
class KeymapEditor {
  readonly #session: TuiSession;
  readonly #list: ListView;
  #said = '';
  /** True if the terminal distinguishes keys with modifiers. Undefined until it answers. */
  #tellsApart: boolean | undefined;

  constructor(session: TuiSession) {
    this.#session = session;
    this.#list = new ListView({
      title: 'Keys',
      items: keymapItems(this.#map, (binding) => this.#boundAt(binding)),
      isSearched: true,
      hint: (key) => `Type to search, ${key('Enter')} changes the keys, ${key('Esc')} closes`,
      pick: (index) => this.#pick(index),
      details: (index, look) => this.#details(index, look),
      leastRows: 6,
      reported: (input) => this.#reported(input),
      close: () => session.parts.stage.open(undefined),
    });
  }

  open(): void {
    const { stage } = this.#session.parts;
    stage.open(this.#list);
    stage.send(keyboardQuery);
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
    const about = binding === undefined ? [] : bindingLines(binding, this.#boundAt(binding), look);
    const unsent = binding !== undefined && this.#tellsApart === false ? unsentLine(binding) : '';
    const lines = [...about, unsent].map((line) => styled(line, dimStyle));
    const pieces = [...cleanLines(this.#said).map(plain), ...lines].filter(({ text }) => text !== '');
    return pieces.flatMap((piece) => wrapIn(look, [piece], listMargin));
  }

  #pick(index: number): void {
    this.#said = '';
    const binding = this.#map.bindings[index];
    if (binding !== undefined) return this.#choose(binding);
    const fixed = Object.entries(fixedKeys)[index - this.#map.bindings.length];
    if (fixed !== undefined) this.#said = `${shownKey(fixed[0])} is fixed: it ${fixed[1]}. It cannot be bound.`;
  }

  #choose(binding: KeyBinding): void {
    const { action, keys, boundAt } = binding;
    const hasKey = keys.length > 0;
    const choice = (label: string, about: string, run: () => void): Choice => ({ label, about, run });
    const change = (made: KeyChange) => (): void => this.#save(binding, made);
    const [press, inPlace] = hasKey ? ['Press another key', `in the place of ${keyWords(keys)}`] : ['Press a key', ''];
    const stay = `${keyWords(keys)} ${keys.length > 1 ? 'stay' : 'stays'}`;
    const removed = keys.map((strokes) =>
      choice(`Remove ${shownKey(strokes)}`, '', change({ kind: 'remove', strokes })),
    );
    // Without a key for `list.accept` the user could use no list, not even this one.
    const mayBeNone = actionId(action) !== 'list.accept';
    this.#ask(`Keys of ${actionId(action)}`, [
      choice(press, inPlace, () => this.#capture(binding, 'replace')),
      ...(hasKey ? [choice('Add a key', stay, () => this.#capture(binding, 'add'))] : []),
      ...(keys.length > 1 ? removed : []),
      ...(hasKey && mayBeNone ? [choice('Unbind', 'no key does it', change({ kind: 'unbind' }))] : []),
      ...(boundAt === undefined
        ? []
        : [choice('Back to the default', keyWords(defaultKeys(action)), change({ kind: 'default' }))]),
    ]);
  }

  #ask(title: string, choices: readonly Choice[]): void {
    const { stage } = this.#session.parts;
    const close = (): void => stage.open(this.#list);
    stage.open(new ListView({ title, items: choices, pick: (index) => choices[index]!.run(), close }));
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

  /** A key that another action has is reassigned only after a question. */
  #captured(binding: KeyBinding, change: KeyChange & { readonly kind: 'replace' | 'add' }): void {
    const { strokes } = change;
    const rivals = conflictingBindings(this.#map, binding.action, strokes);
    if (rivals.length === 0) return this.#save(binding, change);
    const names = rivals.map(({ action }) => actionId(action)).join(' and ');
    const left = rivals.map((rival) => `${actionId(rival.action)} then has ${keyWords(keysBeside(rival, strokes))}`);
    this.#ask(`${takenWords(rivals, strokes)} ${names}`, [
      { label: 'Press another key', run: () => this.#capture(binding, change.kind) },
      { label: 'Take it', about: left.join(', '), run: () => this.#save(binding, change) },
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
    const problem = await engine.config.saveKeymap(keymapChangeLines(this.#map, binding, change, isInGlobal));
    stage.changeLook({ keys: parseKeyMap(engine.config.tui.keymap).map });
    this.#list.update({ items: keymapItems(this.#map, (each) => this.#boundAt(each)) });
    const now = this.#map.bindings.find((each) => actionId(each.action) === actionId(action)) ?? binding;
    this.#said =
      problem === undefined
        ? keyChangeWords(this.#map, now, changedKeys(binding, change), this.#boundAt(now))
        : outcomeText(problem);
    stage.draw();
  }
}

export type KeyChange =
  | { readonly kind: 'replace' | 'add' | 'remove'; readonly strokes: string }
  | { readonly kind: 'unbind' | 'default' };

const keysBeside = ({ keys }: KeyBinding, strokes: string): readonly string[] =>
  keys.filter((key) => !strokesCollide(key, strokes));

function changedKeys(binding: KeyBinding, change: KeyChange): readonly string[] {
  const { action, keys } = binding;
  if (!('strokes' in change)) return change.kind === 'unbind' ? [] : defaultKeys(action);
  const { kind, strokes } = change;
  if (kind === 'remove') return keys.filter((key) => key !== strokes);
  return kind === 'add' ? [...keysBeside(binding, strokes), strokes] : [strokes];
}

/**
 * The lines of `[tui.keymap]` that make the change. An action to which the user had bound the key gets a line without
 * it, because the key map refuses duplicates. An action that has it by default needs no line.
 */
export function keymapChangeLines(
  map: KeyMap,
  binding: KeyBinding,
  change: KeyChange,
  /** `global` has a line for actions of this name. */
  isInGlobal: boolean,
): readonly KeymapLine[] {
  const { context, name } = binding.action;
  // Without a line in its own context, the line in `global` would apply.
  const isLineless = change.kind === 'default' && (context === 'global' || !isInGlobal);
  const keys = isLineless ? undefined : changedKeys(binding, change).map(strokesForConfig);
  return [...lostLines(map, binding, change), { context, name, keys }];
}

function lostLines(map: KeyMap, { action }: KeyBinding, change: KeyChange): readonly KeymapLine[] {
  if (change.kind !== 'replace' && change.kind !== 'add') return [];
  const { strokes } = change;
  return conflictingBindings(map, action, strokes)
    .filter(({ boundAt }) => boundAt !== undefined)
    .map((rival) => {
      const { context, name } = rival.action;
      return { context, name, keys: keysBeside(rival, strokes).map(strokesForConfig) };
    });
}

/** Returns the file and line that bind an action; undefined if it has its default keys. */
type BoundAt = (binding: KeyBinding) => string | undefined;
const mostColumns = 14;

function keymapItems({ bindings }: KeyMap, boundAt: BoundAt): readonly ListItem[] {
  const keys = bindings.map((binding) => shortKeys(binding.keys));
  const sources = bindings.map((binding) => sourceName(boundAt(binding)));
  const wide = Math.max(...keys.map(countColumns));
  const wideSource = Math.max(...sources.map(countColumns));
  const row = (label: string, key: string, source: string, does: string): ListItem => {
    const cells = [
      key + paddingBlanks(wide, countColumns(key)),
      source + paddingBlanks(wideSource, countColumns(source)),
    ];
    return { label, about: [...cells, does].join('  ') };
  };
  return [
    ...bindings.map(({ action }, at) => row(actionId(action), keys[at]!, sources[at]!, action.does)),
    ...Object.entries(fixedKeys).map(([key, does]) => row('fixed', shownKey(key), 'fixed', does)),
  ];
}

const keyWords = (keys: readonly string[]): string => (keys.length === 0 ? 'no key' : keys.map(shownKey).join(', '));

function shortKeys(keys: readonly string[]): string {
  const count = keys.findLastIndex((_, at) => countColumns(keyWords(keys.slice(0, at + 1))) <= mostColumns - 3) + 1;
  const shown = Math.max(1, count);
  return shown >= keys.length ? keyWords(keys) : `${keyWords(keys.slice(0, shown))} +${keys.length - shown}`;
}

/** Shows a TOML file by its name, without folder and line; other sources as they are. */
function sourceName(source: string | undefined): string {
  if (source === undefined) return 'default';
  return cleanLine(/([^\\/]+\.toml)(?::\d+)?$/.exec(source)?.[1] ?? source);
}

function bindingLines(binding: KeyBinding, at: string | undefined, look: Look): readonly string[] {
  const { action, keys } = binding;
  const where =
    at === undefined
      ? keys.length === defaultKeys(action).length
        ? 'the default'
        : 'what other actions leave of the default'
      : `bound in ${shownPath(at, look)}`;
  return [action.does, `Keys: ${keyWords(keys)} (${where}).`];
}

/** Names the keys of an action that a terminal without a keyboard protocol cannot send; empty: it sends all of them. */
function unsentLine({ keys }: KeyBinding): string {
  const strokes = new Set(keys.flatMap((each) => each.split(' ')));
  const unsent = Map.groupBy(strokes, legacyKeyStroke);
  unsent.delete(undefined);
  const pairs = [...unsent].map(([sent = '', all]) => `${shownKey(sent)} for ${all.map(shownKey).join(' and ')}`);
  return pairs.length === 0 ? '' : `This terminal sends ${pairs.join(', ')}, and Capstan cannot tell them apart.`;
}

const sameKeys =
  'This terminal sends the same for Enter and Ctrl+Enter, for Tab and Ctrl+I and the like: it does not have the keyboard protocol of kitty, which tells them apart.';

/** Keys that send an ASCII character of their own, which Ctrl and Shift do not change. */
const characters: ReadonlySet<string> = new Set(['enter', 'tab', 'backspace', 'escape', 'space']);
/** Control characters that other keys send too. */
const controls: Record<string, string> = { i: 'tab', m: 'enter', '[': 'escape', '/': 'ctrl+_', '-': 'ctrl+_' };
const sentAlone = new Set(['shift+tab', 'ctrl+space']);

/** The key that a terminal without a keyboard protocol reports instead. Undefined if it reports no other key. */
export function legacyKeyStroke(stroke: string): string | undefined {
  const [, ctrl, alt = '', shift, name = ''] = /^(ctrl\+)?(alt\+)?(shift\+)?(.+)$/.exec(stroke) ?? [];
  if (sentAlone.has(stroke.replace('alt+', ''))) return undefined;
  if (characters.has(name)) return ctrl === undefined && shift === undefined ? undefined : alt + name;
  if (ctrl === undefined || [...name].length !== 1) return undefined;
  const control = controls[name];
  if (control !== undefined)
    return control.startsWith('ctrl+') ? control.replace('ctrl+', `ctrl+${alt}`) : alt + control;
  return /^[a-z@\\\]^_]$/.test(name) ? undefined : alt + name;
}

function keyChangeWords(map: KeyMap, now: KeyBinding, wanted: readonly string[], at = ''): string {
  const id = actionId(now.action);
  const missed = wanted.filter((key) => !now.keys.includes(key));
  const isAsWanted = missed.length === 0 && now.keys.length === wanted.length;
  if (isAsWanted) return `${id}: ${keyWords(now.keys)}. Saved in config.toml.`;
  const holders = missed.flatMap((key) =>
    conflictingBindings(map, now.action, key).map(({ action }) => actionId(action)),
  );
  const why =
    holders.length > 0
      ? `${keyWords(missed)} stays with ${[...new Set(holders)].join(' and ')}`
      : `${at || 'another layer of the configuration'} decides over it`;
  return `Saved in config.toml, but ${id} has ${keyWords(now.keys)}: ${why}.`;
}

function takenWords(rivals: readonly KeyBinding[], strokes: string): string {
  const isSame = rivals.some(({ keys }) => keys.includes(strokes));
  return isSame ? `${shownKey(strokes)} is a key of` : `${shownKey(strokes)} begins like a key of`;
}

interface KeyCaptureOptions {
  readonly action: KeyAction;
  /** A sentence about keys that the terminal cannot send. Empty if nothing is known about them. */
  note(): string;
  captured(strokes: string): void;
  reported(input: TerminalInput): void;
  now(): number;
  draw(): void;
  close(): void;
}

/** After this long without input, the terminal probably keeps the key to itself. */
const silenceMs = 3000;

/** Waits for the key to bind. A pause of a second after the first key ends it. */
export class KeyCaptureView implements View {
  readonly keys = 'raw';
  readonly #options: KeyCaptureOptions;
  #first: string | undefined;
  #refused = '';
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeyCaptureOptions) {
    this.#options = options;
    this.#listen();
  }

  frame(look: Look, height: number): Frame {
    const { action, note } = this.#options;
    const lines = (text: string, first = listMargin): readonly Row[] =>
      text === '' ? [] : wrapIn(look, [styled(text, dimStyle)], first, listMargin);
    const isSilent = this.#first === undefined && look.now - this.#last >= silenceMs;
    const warned: Row = [plain('  '), styled(`${glyphsOf(look).warning} `, warnStyle)];
    const rows: readonly Row[] = [
      [plain('  '), styled(`New key for ${actionId(action)}`, boldStyle)],
      ...lines(action.does),
      ...(this.#first === undefined
        ? [...lines(this.#refused, warned), ...lines(howTo)]
        : [
            [plain('  '), styled(cleanLine(shownKey(this.#first)), accentStyle)],
            ...lines('A second key makes a chord. Wait to take this one alone.'),
          ]),
      ...lines(isSilent ? silent : ''),
      ...lines(note()),
    ];
    return { rows: drawCutRows(rows.slice(0, Math.max(1, height)), look) };
  }

  input(input: TerminalInput): void {
    if (input.kind !== 'key' || input.name === 'text') return this.#options.reported(input);
    clearTimeout(this.#timer);
    const { name } = input;
    if (name === 'escape' || name === 'ctrl+c') return this.#leave();
    if (this.#first !== undefined) return this.#options.captured(`${this.#first} ${name}`);
    const unfit = unfitKey(name, this.#options.action);
    this.#refused = unfit === undefined ? '' : `This is ${unfit.what}. ${unfit.next}`;
    if (unfit !== undefined) return this.#listen();
    this.#first = name;
    this.#wait(chordMs, () => this.#options.captured(name));
  }

  #leave(): void {
    if (this.#first === undefined) return this.#options.close();
    this.#first = undefined;
    this.#listen();
  }

  #listen(): void {
    this.#wait(silenceMs, () => this.#options.draw());
  }

  #wait(ms: number, then: () => void): void {
    this.#last = this.#options.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms).unref();
  }
}

const howTo = 'Press it. A second key within a second makes a chord. Esc goes back.';
const silent = 'Nothing came? Then the terminal, tmux or the system keeps that key.';
const mostShown = 8;

export function keyDebugView({ now, draw, close }: Pick<KeyCaptureOptions, 'now' | 'draw' | 'close'>): View {
  const seen: string[] = [];
  let last = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Schedules a frame for the hint about silence, which must appear without a key press. */
  const listen = (): void => {
    last = now();
    clearTimeout(timer);
    timer = setTimeout(draw, silenceMs).unref();
  };
  listen();
  return {
    keys: 'raw',
    frame(look, height) {
      const rows: readonly Row[] = [
        [plain('  '), styled('What the terminal sends', boldStyle)],
        ...seen.map((text, at): Row => [plain('  '), styled(text, at === 0 ? accentStyle : {})]),
        [styled(`  ${look.now - last >= silenceMs ? silent : 'Press a key.'} Ctrl+C closes.`, dimStyle)],
      ];
      return { rows: drawCutRows(rows.slice(0, Math.max(1, height)), look) };
    },
    input(input) {
      if (input.kind === 'key' && input.name === 'ctrl+c') {
        clearTimeout(timer);
        return close();
      }
      listen();
      seen.unshift(words(input));
      seen.splice(mostShown);
    },
  };
}

function words(input: TerminalInput): string {
  switch (input.kind) {
    case 'paste':
      return `a paste of ${formatCount(input.text.length)} characters`;
    case 'wheel':
      return `the wheel, ${input.direction}`;
    case 'focus':
    case 'background':
    case 'answer':
      return `a report of the terminal (${input.kind})`;
    case 'key': {
      const types = input.text === '' ? 'types nothing' : `types "${cleanLine(input.text)}"`;
      return `${cleanLine(shownKey(input.name))}: in config.toml "${cleanLine(strokesForConfig(input.name))}", ${types}`;
    }
  }
}
