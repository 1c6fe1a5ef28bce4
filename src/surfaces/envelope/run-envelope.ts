import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { envelopeCommand } from '../commands/view-commands.ts';
import { tellStory, type ThreadStory } from '../context/thread-story.ts';
import type { Span } from '../terminal/look.ts';
import { type PageForm, pageForm, printPage } from '../terminal/page.ts';
import { print } from '../terminal/print.ts';
import { loadThread } from '../commands/load-thread.ts';
import { envelopeJson, envelopeView } from './envelope-view.ts';
import { contextPage, diffPage, envelopePage, turnLine } from './show-envelope.ts';

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
  const view = envelopeView(id, story, asked);
  if ('code' in view) return view;
  if (asked.json) return json(envelopeJson(id, view));
  const { turn } = view;
  const head = `${turnLine(id, turn, story.turns.length)}\n\n`;
  if (view.kind === 'difference')
    return [head, ...diffPage(view.changes, { from: view.against, to: turn.number }, form)];
  return [head, ...(view.fields === undefined ? contextPage(turn, form) : envelopePage(view.fields, form))];
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
