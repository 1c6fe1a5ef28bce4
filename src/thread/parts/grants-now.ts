import type { Grant } from '../../policy/grants.ts';
import type { Turn } from './parts.ts';

/** What earlier answers allow by now, for the session and for the turn. */
export function grantsNow({ log, memory }: Pick<Turn, 'log' | 'memory'>): {
  readonly session: readonly Grant[];
  readonly turn: readonly Grant[];
} {
  const session = log.state.grants.flatMap(({ keys }) => keys);
  return { session: session.map((key) => ({ key })), turn: memory.grants.map((key) => ({ key })) };
}
