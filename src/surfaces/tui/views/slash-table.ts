/** A command that the user types to the terminal, and not to the model. */
export interface SlashCommand {
  readonly name: string;
  /** What may stand behind the name. Absent: nothing. */
  readonly takes?: string;
  readonly does: string;
  /** It may be used while a turn runs. */
  readonly whileRunning: boolean;
  /** Accepted, and not listed until it is typed. */
  readonly isAlias?: true;
}

/** In the order of the list. */
export const slashCommands = [
  { name: 'model', takes: '[NAME]', does: 'choose the model and its effort', whileRunning: true },
  { name: 'permissions', does: 'choose what may be done without a question', whileRunning: true },
  { name: 'rules', does: 'saved rules about commands and hosts: see and revoke them', whileRunning: false },
  { name: 'plan', takes: '[WORDS]', does: 'switch plan mode on or off', whileRunning: false },
  { name: 'compact', takes: '[FOCUS]', does: 'summarise the conversation to make room', whileRunning: true },
  { name: 'queue', does: 'messages that wait: reorder, delete, edit or send them', whileRunning: true },
  { name: 'context', does: 'what fills the context window', whileRunning: true },
  { name: 'status', does: 'model, folder, permissions, tokens and cost', whileRunning: true },
  { name: 'diff', does: 'what differs from the last commit', whileRunning: true },
  { name: 'ps', does: 'commands that run in the background', whileRunning: true },
  { name: 'stop', takes: '[NUMBER]', does: 'end commands that run in the background', whileRunning: true },
  { name: 'new', does: 'begin a new conversation', whileRunning: false },
  { name: 'resume', takes: '[THREAD]', does: 'continue an earlier conversation', whileRunning: false },
  { name: 'tui', does: 'switch between scrollback and full screen', whileRunning: true },
  { name: 'help', does: 'keys and commands', whileRunning: true },
  { name: 'quit', does: 'leave', whileRunning: true },
  { name: 'exit', does: 'leave', whileRunning: true, isAlias: true },
  { name: 'clear', does: 'begin a new conversation', whileRunning: false, isAlias: true },
] as const satisfies readonly SlashCommand[];

export type SlashName = (typeof slashCommands)[number]['name'];

/** A line as a command: `/name rest`. Undefined: it is for the model, such as a path. */
export function readSlash(text: string): { readonly name: string; readonly rest: string } | undefined {
  const [, name, rest = ''] = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), rest: rest.trim() };
}

export function findSlash(name: string): (SlashCommand & { readonly name: SlashName }) | undefined {
  return slashCommands.find((command) => command.name === name);
}

/** Those that a name may become: one of that name first. */
export function matchingSlash(typed: string): readonly SlashCommand[] {
  const wanted = typed.toLowerCase();
  const found: readonly SlashCommand[] = slashCommands.filter((command: SlashCommand) =>
    command.isAlias === true ? wanted !== '' && command.name.startsWith(wanted) : command.name.startsWith(wanted),
  );
  return [...found.filter(({ name }) => name === wanted), ...found.filter(({ name }) => name !== wanted)];
}
