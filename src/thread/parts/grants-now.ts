import type { Grant } from '../../policy/grants.ts';
import { type ChosenPolicy, grantsUnder } from '../../policy/session-grants.ts';
import type { Turn } from './parts.ts';

/** What earlier answers allow by now under this policy, for the session and for the turn. */
export function grantsNow(
  { log, memory }: Pick<Turn, 'log' | 'memory'>,
  { approval, profile }: ChosenPolicy,
): { readonly session: readonly Grant[]; readonly turn: readonly Grant[] } {
  const session = grantsUnder(log.state.grants, { approval, profile });
  return { session, turn: memory.grants.map((key) => ({ key })) };
}
