import type { envelopeCommand } from '../table/threads-read-commands.ts';
import { readThreadStory } from '../../views/context/thread-story.ts';
import { pageForm, prettyJson, printPage } from '../../views/terminal/tables.ts';
import { print } from '../../views/terminal/print.ts';
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
  if (options.json) {
    print(prettyJson(envelopeJson(id, view)), 'json');
    return 0;
  }
  const [{ turn }, form] = [view, pageForm()];
  const page =
    view.kind === 'difference'
      ? envelopeDiffPage(view.changes, { from: view.against, to: turn.number }, form)
      : view.fields === undefined
        ? turnContextPage(turn, form)
        : envelopePage(view.fields, form);
  printPage([`${envelopeTurnLine(id, turn, story.turns.length)}\n\n`, ...page], form);
  return 0;
});
