import type { envelopeCommand } from '../table/threads-read-commands.ts';
import { readThreadStory } from '../../views/context/thread-story.ts';
import type { Span } from '../../views/terminal/styled-text.ts';
import { type PageForm, printResult } from '../../views/terminal/tables.ts';
import { withReadOnlyThread } from '../../views/command-line/command-engine.ts';
import {
  envelopeDiffPage,
  envelopeJson,
  envelopePage,
  envelopeTurnLine,
  envelopeView,
  turnContextPage,
} from '../../views/threads/envelope-page.ts';

/** Exit codes: 0: shown; 1: no such thread or turn; 2: wrong usage. */
export const run = withReadOnlyThread<typeof envelopeCommand>(({ options }, { id, lines }) => {
  const story = readThreadStory(lines);
  const view = envelopeView(id, story, options);
  if ('code' in view) return view;
  const { turn } = view;
  const pageOf = (form: PageForm): readonly Span[] => {
    if (view.kind === 'difference')
      return envelopeDiffPage(view.changes, { from: view.against, to: turn.number }, form);
    return view.fields === undefined ? turnContextPage(turn, form) : envelopePage(view.fields, form);
  };
  const head = `${envelopeTurnLine(id, turn, story.turns.length)}\n\n`;
  return printResult(envelopeJson(id, view), { ...options, pretty: true }, (form) => [head, ...pageOf(form)]);
});
