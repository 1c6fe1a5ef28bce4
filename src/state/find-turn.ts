import type { ThreadId, TurnId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';

/** The turn that a caller means: by its id, the beginning of it, or its number, counted from 1. */
export function findTurn<Turn extends { readonly id: TurnId }>(
  thread: ThreadId,
  turns: readonly Turn[],
  name: string,
): Turn | Outcome<'turn-unknown' | 'turn-ambiguous'> {
  const exact = turns.find(({ id }) => id === name) ?? (/^\d{1,6}$/.test(name) ? turns[Number(name) - 1] : undefined);
  if (exact !== undefined) return exact;
  const begun = name.length < 4 ? [] : turns.filter(({ id }) => id.startsWith(name));
  if (begun.length === 1) return begun[0]!;
  const next = `List its turns with \`capstan threads show ${thread}\`.`;
  if (begun.length > 1) {
    return { code: 'turn-ambiguous', message: `${begun.length} turns of thread ${thread} begin with ${name}.`, next };
  }
  const count = turns.length === 1 ? 'one turn' : `${turns.length} turns`;
  const message = `Thread ${thread} has no turn ${JSON.stringify(name)}: it has ${count}, not counting rolled-back ones.`;
  return { code: 'turn-unknown', message, next };
}
