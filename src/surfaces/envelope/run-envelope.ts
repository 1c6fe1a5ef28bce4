import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { envelopeCommand } from '../commands/view-commands.ts';
import { plural } from '../terminal/table.ts';
import { type StoryTurn, tellStory, type ThreadStory } from '../context/thread-story.ts';
import { print } from '../terminal/print.ts';
import { loadThread } from '../commands/load-thread.ts';
import { changedFields, envelopeFields } from './envelope-fields.ts';
import { contextText, diffText, envelopeNotes, envelopeText, turnLine, whyNoEnvelope } from './show-envelope.ts';

type Options = CommandArguments<typeof envelopeCommand>['options'];

/** `capstan envelope`. 0: shown; 1: there is no such thread or turn; 2: wrong usage. */
export async function run(given: CommandArguments<typeof envelopeCommand>): Promise<number | Outcome> {
  const thread = await loadThread(given.thread);
  if ('code' in thread) return thread;
  const answer = answerTo(given.options, thread.id, tellStory(thread.lines));
  if (typeof answer !== 'string') return answer;
  print(answer, given.options.json ? 'json' : 'text');
  return 0;
}

function answerTo(asked: Options, id: string, story: ThreadStory): string | Outcome {
  const turn = chooseTurn(story, asked.turn ?? story.turns.length);
  if ('code' in turn) return turn;
  if (asked.diff !== undefined) return difference(asked.diff, turn, { id, story, json: asked.json });
  const { number, id: turnId, at, envelope, context } = turn;
  if (asked.json) {
    const named = { thread: id, turn: number, turn_id: turnId, at };
    return envelope === undefined
      ? json({ ...named, fields: null, turn_context: context ?? null })
      : json({ ...named, fields: envelopeFields(envelope) });
  }
  const head = turnLine(id, turn, story.turns.length);
  if (envelope === undefined) return `${head}\n\n${contextText(turn)}`;
  const fields = envelopeFields(envelope);
  return `${head}\n\n${envelopeText(fields)}${envelopeNotes(fields)}`;
}

function difference(
  against: number,
  turn: StoryTurn,
  { id, story, json: asJson }: { readonly id: string; readonly story: ThreadStory; readonly json: boolean },
): string | Outcome {
  const other = chooseTurn(story, against);
  if ('code' in other) return other;
  const [before, now] = [other.envelope, turn.envelope];
  if (before === undefined || now === undefined) return noEnvelope(id, before === undefined ? other : turn);
  const changes = changedFields(before, now);
  if (asJson) return json({ thread: id, turn: turn.number, against, changes });
  const head = turnLine(id, turn, story.turns.length);
  return `${head}\n\n${diffText(changes, { from: against, to: turn.number })}`;
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

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
