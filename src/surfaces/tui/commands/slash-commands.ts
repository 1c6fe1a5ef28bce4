import type { Words } from '../../../core/config/keys/key-kinds.ts';
import type { Draft } from '../draft/draft.ts';

/** A command for the terminal, not for the model. */
export interface SlashCommand {
  readonly name: string;
  /** Describes the arguments. Absent: there are none. */
  readonly takes?: string;
  /** Completions: one for the whole rest, or one per word if there are several. */
  readonly completes?: readonly SlashArgument[];
  readonly does: string;
  /** It waits until no turn runs. */
  readonly waits?: true;
  /** Allowed in a side conversation, which is not saved. */
  readonly inSide?: true;
  /** Accepted, but only listed once it is typed. */
  readonly isAlias?: true;
}

const commands = {
  model: {
    takes: '[NAME [EFFORT]]',
    completes: ['model', 'effort'],
    does: 'choose the model and its effort',
    inSide: true,
  },
  permissions: { takes: '[NAME]', completes: ['permissions'], does: 'choose what may be done without a question' },
  rules: { does: 'saved rules about commands and hosts: see and revoke them', waits: true },
  experimental: { does: 'switch features on or off', waits: true },
  approve: { does: 'allow once more what a reviewer refused' },
  memories: { does: 'notes about earlier conversations: read, write, forget', waits: true },
  skills: { does: 'list skills, use one, switch them on or off' },
  hooks: { does: 'list hooks, trust them, switch them on or off' },
  review: { takes: '[WORDS]', does: 'review changes: a branch, a commit, or what you say', waits: true },
  rewind: {
    takes: '[undo]',
    completes: [['undo']],
    does: 'go back to before a message, with or without files',
    waits: true,
  },
  rename: { takes: 'NAME', does: 'give this conversation a name' },
  new: { does: 'begin a new conversation', waits: true },
  archive: { does: 'put this conversation away and begin another', waits: true },
  delete: { does: 'delete this conversation', waits: true },
  resume: { takes: '[THREAD]', completes: ['thread'], does: 'continue an earlier conversation', waits: true },
  fork: { takes: '[NAME]', does: 'continue in a copy; this conversation stays as it is', waits: true },
  init: { does: 'let the model write AGENTS.md for this project', waits: true },
  compact: { takes: '[FOCUS]', does: 'summarise the conversation to make room' },
  queue: { does: 'messages that wait: reorder, delete, edit or send them', inSide: true },
  plan: { takes: '[WORDS]', does: 'switch plan mode on or off', waits: true },
  goal: { takes: '[WORDS|pause|resume]', completes: ['goal'], does: 'the goal that the conversation works towards' },
  agents: { does: 'agents of this conversation: read or stop one' },
  side: { takes: '[WORDS]', does: 'ask something beside this conversation, which keeps running' },
  copy: { takes: '[answer]', completes: [['answer']], does: 'copy the last answer, or a part of it', inSide: true },
  raw: { does: 'the last answer as it was written', inSide: true },
  export: { takes: '[FILE]', completes: ['file'], does: 'write the conversation to a file' },
  diff: { does: 'what differs from the last commit', inSide: true },
  ps: { does: 'commands that run in the background', inSide: true },
  stop: { takes: '[NUMBER]', completes: ['background'], does: 'end commands that run in the background', inSide: true },
  mention: { does: 'name a file' },
  status: { does: 'model, folder, permissions, account, tokens and limits', inSide: true },
  context: { does: 'what fills the context window' },
  changes: { does: 'what each turn told the model, and why' },
  envelope: { takes: '[TURN]', completes: ['turn'], does: 'the contract of this turn, or what differs from another' },
  checkpoint: {
    takes: '[undo [--force]]',
    completes: [['undo'], ['--force']],
    does: 'what a compaction kept and dropped; take it back',
  },
  pin: { takes: '[TEXT]', does: 'notes that survive every checkpoint' },
  replay: { takes: '[TURN]', completes: ['turn'], does: 'what the model saw, byte for byte' },
  cd: { takes: '[PATH]', completes: ['folder'], does: 'another folder for the next turns', waits: true },
  pwd: { does: 'the folder of the next turn' },
  'debug-config': { does: 'the configuration, and where each value comes from' },
  mcp: {
    takes: '[verbose]',
    completes: [['verbose', 'login', 'logout'], 'server'],
    does: 'MCP servers, their state and tools',
  },
  prompts: { takes: '[:NAME ARGUMENTS]', does: 'send a prompt that you keep in a file' },
  theme: { takes: '[NAME]', completes: ['theme'], does: 'choose the colours' },
  statusline: { does: 'choose what stands below the composer' },
  title: { does: 'choose the title of the window' },
  keymap: { takes: '[debug]', completes: [['debug']], does: 'all keys: bind others, or see what the terminal sends' },
  vim: { does: 'switch Vim keys in the composer on or off' },
  tui: { does: 'switch between scrollback and full screen' },
  logout: { does: 'forget the login', waits: true },
  help: { does: 'keys and commands', inSide: true },
  quit: { does: 'leave', inSide: true },
  exit: { does: 'leave', inSide: true, isAlias: true },
  btw: { takes: '[WORDS]', does: 'ask something beside this conversation', isAlias: true },
  clear: { does: 'begin a new conversation', waits: true, isAlias: true },
  subagents: { does: 'agents of this conversation: read or stop one', isAlias: true },
  cwd: { does: 'the folder of the next turn', isAlias: true },
} as const satisfies Readonly<Record<string, Omit<SlashCommand, 'name'>>>;

export type SlashName = keyof typeof commands;
export type NamedCommand = SlashCommand & { readonly name: SlashName };
const named = Object.entries(commands).map(([name, command]) => ({ name, ...command }));
export const slashCommands = named as readonly NamedCommand[];

export const findSlash = (name: string): NamedCommand | undefined =>
  slashCommands.find((command) => command.name === name);

/** Commands of Capstan and of `more` that begin with the typed name; an exact match comes first. */
export function matchingSlash(typed: string, more: readonly SlashCommand[]): readonly SlashCommand[] {
  const wanted = typed.toLowerCase();
  const found = [...slashCommands, ...more].filter(
    ({ name, isAlias }) => name.toLowerCase().startsWith(wanted) && (isAlias !== true || wanted !== ''),
  );
  return [...found.filter(({ name }) => name === wanted), ...found.filter(({ name }) => name !== wanted)];
}

export interface ArgumentAtCursor {
  readonly command: SlashName;
  readonly kind: SlashArgument;
  readonly before: readonly string[];
  readonly typed: string;
  readonly hasNext: boolean;
}

/** The argument at the end of the draft. Undefined if the draft is no command, or the argument has no completions. */
export function argumentAtCursor({ text, cursor, elements }: Draft): ArgumentAtCursor | undefined {
  const [, name = '', rest = ''] = /^\/([a-z][\w-]*)[ \t]+([^\n]*)$/i.exec(text) ?? [];
  const command = name === '' ? undefined : findSlash(name.toLowerCase());
  const { completes = [] } = command ?? {};
  if (command === undefined || cursor !== text.length || elements.length > 0) return undefined;
  // A sole argument may contain blanks.
  const words = completes.length > 1 ? rest.split(/[ \t]+/) : [rest];
  const before = words.slice(0, -1);
  const kind = completes[before.length];
  if (kind === undefined) return undefined;
  return { command: command.name, kind, before, typed: words.at(-1) ?? '', hasNext: completes.length > words.length };
}

export const withArgument = ({ command, before, hasNext }: ArgumentAtCursor, value: string): string =>
  `/${[command, ...before, value].join(' ')}${hasNext ? ' ' : ''}`;

/** One of fixed words, or a value that Capstan or the disk lists. `goal`: fixed words or free text. */
export type SlashArgument =
  | readonly string[]
  | Words<'background effort file folder goal model permissions server theme thread turn'>;

/** The user may also type a value that is not listed: Enter takes the typed text as it is. */
const openArguments: readonly SlashArgument[] = ['file', 'folder', 'goal', 'model', 'thread'];
export const hasOnlyListedValues = (argument: SlashArgument): boolean => !openArguments.includes(argument);
export type ArgumentValue = { readonly text: string; readonly about: string };
