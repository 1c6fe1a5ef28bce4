/** Where keys have a meaning of their own, by the name in `[tui.keymap.<context>]`. */
export const keyContexts = ['global', 'chat', 'composer', 'editor', 'pager', 'list', 'approval'] as const;

export type KeyContext = (typeof keyContexts)[number];

/** Something that a key does. */
export interface KeyAction {
  readonly context: KeyContext;
  readonly name: string;
  /** The keys of a user who has bound none. Views know an action by each of them. */
  readonly keys: readonly string[];
  /** More of them, which views need not know. */
  readonly more?: readonly string[];
  readonly does: string;
}

/** `chat.interrupt_turn` */
export function actionId({ context, name }: KeyAction): string {
  return `${context}.${name}`;
}

/** The key under which views know the action: its first, or a name that no key has. */
export function homeKey({ keys, name }: KeyAction): string {
  return keys[0] ?? name;
}

export function defaultKeys({ keys, more = [] }: KeyAction): readonly string[] {
  return [...keys, ...more];
}
