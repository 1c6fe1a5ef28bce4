import type { LineDraft } from '../protocol/line.ts';

/**
 * A line that is recorded a second time keeps the seal that it had: a store seals no draft that has one. An empty seal
 * proves nothing, so that no forged line becomes one of this home by being repeated.
 */
export function saidAgain(draft: LineDraft, seal: string | undefined): LineDraft {
  return { ...draft, payload: { ...draft.payload, seal: seal ?? '' } };
}
