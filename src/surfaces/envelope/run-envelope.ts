import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { envelopeCommand } from '../commands/view-commands.ts';
import { plural } from '../wording/number-words.ts';
import { type StoryTurn, tellStory, type ThreadStory } from '../context/thread-story.ts';
import type { Span } from '../terminal/look.ts';
import { type PageForm, pageForm, printPage } from '../terminal/page.ts';
import { print } from '../terminal/print.ts';
import { loadThread } from '../commands/load-thread.ts';
import { changedFields, envelopeFields } from './envelope-fields.ts';
import { contextPage, diffPage, envelopePage, turnLine, whyNoEnvelope } from './show-envelope.ts';

type Options = CommandArguments<typeof envelopeCommand>['options'];

/** `capstan envelope`. 0: shown; 1: there is no such thread or turn; 2: wrong usage. */
export async function run(given: CommandArguments<typeof envelopeCommand>): Promise<number | Outcome> {
  const thread = await loadThread(given.thread);
  if ('code' in thread) return thread;
  const form = pageForm();
  const answer = answerTo(given.options, thread.id, tellStory(thread.lines), form);
  if (typeof answer === 'string') print(answer, 'json');
  else if ('code' in answer) return answer;
  else printPage(answer, form);
  return 0;
}

/** JSON for programs is a string, a page for people has spans. */
function answerTo(asked: Options, id: string, story: ThreadStory, form: PageForm): string | readonly Span[] | Outcome {
  const turn = chooseTurn(story, asked.turn ?? story.turns.length);
  if ('code' in turn) return turn;
  const { number, id: turnId, at, envelope, context } = turn;
  const head = `${turnLine(id, turn, story.turns.length)}\n\n`;
  if (asked.diff !== undefined) {
    const other = chooseTurn(story, asked.diff);
    if ('code' in other) return other;
    if (other.envelope === undefined) return noEnvelope(id, other);
    if (envelope === undefined) return noEnvelope(id, turn);
    const changes = changedFields(other.envelope, envelope);
    if (asked.json) return json({ thread: id, turn: number, against: asked.diff, changes });
    return [head, ...diffPage(changes, { from: asked.diff, to: number }, form)];
  }
  const fields = envelope && envelopeFields(envelope);
  if (asked.json) {
    const shown = fields === undefined ? { fields: null, turn_context: context ?? null } : { fields };
    return json({ thread: id, turn: number, turn_id: turnId, at, ...shown });
  }
  return [head, ...(fields === undefined ? contextPage(turn, form) : envelopePage(fields, form))];
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
