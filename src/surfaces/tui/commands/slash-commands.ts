import type { Draft } from '../draft/draft.ts';
import type { SlashArgument } from './slash-argument.ts';

/** A command for the terminal, not for the model. */
export interface SlashCommand {
  readonly name: string;
  /** Describes the arguments. Absent: there are none. */
  readonly takes?: string;
  /** Completions: one for the whole rest, or one per word if there are several. */
  readonly completes?: readonly SlashArgument[];
  readonly does: string;
  readonly whileRunning: boolean;
  /** Allowed in a side conversation, which is not saved. */
  readonly inSide?: true;
  /** Accepted, but only listed once it is typed. */
  readonly isAlias?: true;
}

export const slashCommands = [
  {
    name: 'model',
    takes: '[NAME [EFFORT]]',
    completes: ['model', 'effort'],
    does: 'choose the model and its effort',
    whileRunning: true,
    inSide: true,
  },
  {
    name: 'permissions',
    takes: '[NAME]',
    completes: ['permissions'],
    does: 'choose what may be done without a question',
    whileRunning: true,
  },
  { name: 'rules', does: 'saved rules about commands and hosts: see and revoke them', whileRunning: false },
  { name: 'experimental', does: 'switch features on or off', whileRunning: false },
  { name: 'approve', does: 'allow once more what a reviewer refused', whileRunning: true },
  { name: 'memories', does: 'notes about earlier conversations: read, write, forget', whileRunning: false },
  { name: 'skills', does: 'list skills, use one, switch them on or off', whileRunning: true },
  { name: 'hooks', does: 'list hooks, trust them, switch them on or off', whileRunning: true },
  {
    name: 'review',
    takes: '[WORDS]',
    does: 'review changes: a branch, a commit, or what you say',
    whileRunning: false,
  },
  {
    name: 'rewind',
    takes: '[undo]',
    completes: [['undo']],
    does: 'go back to before a message, with or without files',
    whileRunning: false,
  },
  { name: 'rename', takes: 'NAME', does: 'give this conversation a name', whileRunning: true },
  { name: 'new', does: 'begin a new conversation', whileRunning: false },
  { name: 'archive', does: 'put this conversation away and begin another', whileRunning: false },
  { name: 'delete', does: 'delete this conversation', whileRunning: false },
  {
    name: 'resume',
    takes: '[THREAD]',
    completes: ['thread'],
    does: 'continue an earlier conversation',
    whileRunning: false,
  },
  { name: 'fork', takes: '[NAME]', does: 'continue in a copy; this conversation stays as it is', whileRunning: false },
  { name: 'init', does: 'let the model write AGENTS.md for this project', whileRunning: false },
  { name: 'compact', takes: '[FOCUS]', does: 'summarise the conversation to make room', whileRunning: true },
  { name: 'queue', does: 'messages that wait: reorder, delete, edit or send them', whileRunning: true, inSide: true },
  { name: 'plan', takes: '[WORDS]', does: 'switch plan mode on or off', whileRunning: false },
  {
    name: 'goal',
    takes: '[WORDS|pause|resume]',
    completes: ['goal'],
    does: 'the goal that the conversation works towards',
    whileRunning: true,
  },
  { name: 'agents', does: 'agents of this conversation: read or stop one', whileRunning: true },
  {
    name: 'side',
    takes: '[WORDS]',
    does: 'ask something beside this conversation, which keeps running',
    whileRunning: true,
  },
  {
    name: 'copy',
    takes: '[answer]',
    completes: [['answer']],
    does: 'copy the last answer, or a part of it',
    whileRunning: true,
    inSide: true,
  },
  { name: 'raw', does: 'the last answer as it was written', whileRunning: true, inSide: true },
  {
    name: 'export',
    takes: '[FILE]',
    completes: ['file'],
    does: 'write the conversation to a file',
    whileRunning: true,
  },
  { name: 'diff', does: 'what differs from the last commit', whileRunning: true, inSide: true },
  { name: 'ps', does: 'commands that run in the background', whileRunning: true, inSide: true },
  {
    name: 'stop',
    takes: '[NUMBER]',
    completes: ['background'],
    does: 'end commands that run in the background',
    whileRunning: true,
    inSide: true,
  },
  { name: 'mention', does: 'name a file', whileRunning: true },
  { name: 'status', does: 'model, folder, permissions, account, tokens and limits', whileRunning: true, inSide: true },
  { name: 'context', does: 'what fills the context window', whileRunning: true },
  { name: 'changes', does: 'what each turn told the model, and why', whileRunning: true },
  {
    name: 'envelope',
    takes: '[TURN]',
    completes: ['turn'],
    does: 'the contract of this turn, or what differs from another',
    whileRunning: true,
  },
  {
    name: 'checkpoint',
    takes: '[undo [--force]]',
    completes: [['undo'], ['--force']],
    does: 'what a compaction kept and dropped; take it back',
    whileRunning: true,
  },
  { name: 'pin', takes: '[TEXT]', does: 'notes that survive every checkpoint', whileRunning: true },
  {
    name: 'replay',
    takes: '[TURN]',
    completes: ['turn'],
    does: 'what the model saw, byte for byte',
    whileRunning: true,
  },
  {
    name: 'cd',
    takes: '[PATH]',
    completes: ['folder'],
    does: 'another folder for the next turns',
    whileRunning: false,
  },
  { name: 'pwd', does: 'the folder of the next turn', whileRunning: true },
  { name: 'debug-config', does: 'the configuration, and where each value comes from', whileRunning: true },
  {
    name: 'mcp',
    takes: '[verbose]',
    completes: [['verbose', 'login', 'logout'], 'server'],
    does: 'MCP servers, their state and tools',
    whileRunning: true,
  },
  { name: 'prompts', takes: '[:NAME ARGUMENTS]', does: 'send a prompt that you keep in a file', whileRunning: true },
  { name: 'theme', takes: '[NAME]', completes: ['theme'], does: 'choose the colours', whileRunning: true },
  { name: 'statusline', does: 'choose what stands below the composer', whileRunning: true },
  { name: 'title', does: 'choose the title of the window', whileRunning: true },
  {
    name: 'keymap',
    takes: '[debug]',
    completes: [['debug']],
    does: 'all keys: bind others, or see what the terminal sends',
    whileRunning: true,
  },
  { name: 'vim', does: 'switch Vim keys in the composer on or off', whileRunning: true },
  { name: 'tui', does: 'switch between scrollback and full screen', whileRunning: true },
  { name: 'logout', does: 'forget the login', whileRunning: false },
  { name: 'help', does: 'keys and commands', whileRunning: true, inSide: true },
  { name: 'quit', does: 'leave', whileRunning: true, inSide: true },
  { name: 'exit', does: 'leave', whileRunning: true, inSide: true, isAlias: true },
  { name: 'btw', takes: '[WORDS]', does: 'ask something beside this conversation', whileRunning: true, isAlias: true },
  { name: 'clear', does: 'begin a new conversation', whileRunning: false, isAlias: true },
  { name: 'subagents', does: 'agents of this conversation: read or stop one', whileRunning: true, isAlias: true },
  { name: 'cwd', does: 'the folder of the next turn', whileRunning: true, isAlias: true },
] as const satisfies readonly SlashCommand[];

export type SlashName = (typeof slashCommands)[number]['name'];

export function findSlash(name: string): (SlashCommand & { readonly name: SlashName }) | undefined {
  return slashCommands.find((command) => command.name === name);
}

/** Commands that begin with the typed name, and those of `more`; an exact match first. */
export function matchingSlash(typed: string, more: readonly SlashCommand[]): readonly SlashCommand[] {
  const wanted = typed.toLowerCase();
  const found = [...slashCommands, ...more].filter((command: SlashCommand) => {
    const isMeant = command.name.toLowerCase().startsWith(wanted);
    return command.isAlias === true ? wanted !== '' && isMeant : isMeant;
  });
  return [...found.filter(({ name }) => name === wanted), ...found.filter(({ name }) => name !== wanted)];
}

export interface AskedArgument {
  readonly command: SlashName;
  readonly kind: SlashArgument;
  readonly before: readonly string[];
  readonly typed: string;
  readonly hasNext: boolean;
}

/** Undefined: the draft is no command, or nothing is known about this argument. */
export function askedArgument({ text, cursor, elements }: Draft): AskedArgument | undefined {
  const [, name = '', rest = ''] = /^\/([a-z][\w-]*)[ \t]+([^\n]*)$/i.exec(text) ?? [];
  const command = name === '' ? undefined : findSlash(name.toLowerCase());
  const { completes = [] } = command ?? {};
  if (command === undefined || cursor !== text.length || elements.length > 0) return undefined;
  // A sole argument may contain blanks.
  const words = completes.length > 1 ? rest.split(/[ \t]+/) : [rest];
  const before = words.slice(0, -1);
  const kind = completes[before.length];
  if (kind === undefined) return undefined;
  const hasNext = completes.length > words.length;
  return { command: command.name, kind, before, typed: words.at(-1) ?? '', hasNext };
}

export function withArgument({ command, before, hasNext }: AskedArgument, value: string): string {
  return `/${[command, ...before, value].join(' ')}${hasNext ? ' ' : ''}`;
}
