/** One of fixed words, or a value that Capstan or the disk lists. `goal`: fixed words or free text. */
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

/** The user may also type a value that is not listed: Enter takes the typed text as it is. */
const openArguments: readonly SlashArgument[] = ['file', 'folder', 'goal', 'model', 'thread'];
export const hasOnlyListedValues = (argument: SlashArgument): boolean => !openArguments.includes(argument);
export type ArgumentValue = { readonly text: string; readonly about: string };
