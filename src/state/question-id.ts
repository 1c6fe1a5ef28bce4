import type { OpenTurn } from './thread-state.ts';

const idLength = 16;

/**
 * The name of what is asked, made from what its line says in `about`: the same after a resume, and for files that other
 * versions wrote. What was asked and answered before in the same turn, to the last character, is another question.
 */
export function questionId({ answered = [] }: Pick<OpenTurn, 'answered'>, about: string): string {
  const name = about.slice(0, idLength);
  const times = answered.filter((id) => id === name || id.startsWith(`${name}-`)).length;
  return times === 0 ? name : `${name}-${times + 1}`;
}
