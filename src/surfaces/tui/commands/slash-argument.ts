/**
 * What may stand behind the name of a command: one of these words, or one of what Capstan or the disk has. `goal`: words
 * with a meaning, among words of the user's own.
 */
export type SlashArgument =
  | readonly string[]
  | 'background'
  | 'effort'
  | 'file'
  | 'folder'
  | 'goal'
  | 'model'
  | 'permissions'
  | 'server'
  | 'theme'
  | 'thread'
  | 'turn';

/** Where what is typed may be something else than what is known: Enter takes it as it stands. */
const openArguments: readonly SlashArgument[] = ['file', 'folder', 'goal', 'model', 'thread'];

/** It has to be one of those that are listed. */
export function isClosed(argument: SlashArgument): boolean {
  return !openArguments.includes(argument);
}

/** Something that an argument may be. */
export interface ArgumentValue {
  readonly text: string;
  readonly about: string;
}
