import type { Outcome } from '../../protocol/outcome.ts';
import type { StoryTurn, ThreadStory } from '../context/thread-story.ts';
import { plural } from '../wording/number-words.ts';
import { type ChangedField, changedFields, envelopeFields, type ShownField } from './envelope-fields.ts';
import { whyNoEnvelope } from './show-envelope.ts';

/** The envelope of one turn, or what differs from that of another one. */
export type EnvelopeView = { readonly turn: StoryTurn } & (
  | { readonly kind: 'envelope'; readonly fields: readonly ShownField[] | undefined }
  | { readonly kind: 'difference'; readonly against: number; readonly changes: readonly ChangedField[] }
);

/** Turns are counted from 1; without a number the newest one is shown. */
export function envelopeView(
  id: string,
  story: ThreadStory,
  asked: { readonly turn: number | undefined; readonly diff: number | undefined },
): EnvelopeView | Outcome {
  const turn = chooseTurn(story, asked.turn ?? story.turns.length);
  if ('code' in turn) return turn;
  const { envelope } = turn;
  if (asked.diff === undefined) return { kind: 'envelope', turn, fields: envelope && envelopeFields(envelope) };
  const other = chooseTurn(story, asked.diff);
  if ('code' in other) return other;
  if (other.envelope === undefined) return noEnvelope(id, other);
  if (envelope === undefined) return noEnvelope(id, turn);
  return { kind: 'difference', turn, against: asked.diff, changes: changedFields(other.envelope, envelope) };
}

/** For programs. */
export function envelopeJson(id: string, view: EnvelopeView) {
  const { number, id: turnId, at, context } = view.turn;
  if (view.kind === 'difference') return { thread: id, turn: number, against: view.against, changes: view.changes };
  const shown = view.fields === undefined ? { fields: null, turn_context: context ?? null } : { fields: view.fields };
  return { thread: id, turn: number, turn_id: turnId, at, ...shown };
}

function chooseTurn({ turns }: ThreadStory, number: number): StoryTurn | Outcome<'no-turn'> {
  return (
    turns[number - 1] ?? {
      code: 'no-turn',
      message: `The thread has ${plural(turns.length, 'turn')}.`,
      next: turns.length === 0 ? 'Run a turn first.' : `Name one from 1 to ${turns.length}.`,
    }
  );
}

function noEnvelope(id: string, turn: StoryTurn): Outcome<'no-envelope'> {
  return {
    code: 'no-envelope',
    message: whyNoEnvelope(turn),
    next: `See what it has with \`capstan envelope ${id} --turn ${turn.number}\`.`,
  };
}
