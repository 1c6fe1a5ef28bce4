import { shellWords } from '../../protocol/shell-words.ts';

/** The command that shows what follows a page: the one that was typed, from there on. */
export function nextPageCommand(typed: readonly string[], cursor: string): string {
  const rest = typed.filter(
    (word, at) => word !== '--cursor' && typed[at - 1] !== '--cursor' && !word.startsWith('--cursor='),
  );
  return `capstan ${shellWords([...rest, '--cursor', cursor])}`;
}
