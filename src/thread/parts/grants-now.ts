import type { Grant } from '../../policy/grants.ts';
import { type ChosenPolicy, grantsUnder } from '../../policy/session-grants.ts';
import type { Turn } from './parts.ts';

/** What earlier answers allow by now under this policy, for good or for the session, and for the turn. */
export function grantsNow(
  { log, continues, savedRules }: Pick<Turn, 'log' | 'continues' | 'savedRules'>,
  { approval, profile }: ChosenPolicy,
): { readonly session: readonly Grant[]; readonly turn: readonly Grant[] } {
  const { grants, openTurn } = log.state;
  const session = [...grantsUnder(grants, { approval, profile }), ...savedRules.hosts, ...savedRules.tools];
  // A surface that cannot ask holds another approval policy than the one that the turn was suspended under.
  const turn = grantsUnder(openTurn?.grants ?? [], { approval: continues?.approval ?? approval, profile });
  return { session, turn };
}
