import { fullText } from '../../../protocol/outcome.ts';
import { plural } from '../../wording/number-words.ts';
import { copyWays } from '../clipboard/clipboard-ways.ts';
import { type CopiedPart, copiedParts } from '../clipboard/copied-parts.ts';
import { copyText } from '../clipboard/copy-text.ts';
import { clean, cleanLine, withoutTabs } from '../text/clean.ts';
import { drawRows } from '../text/draw-row.ts';
import { plain } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import { ListView } from '../views/list-view.ts';
import { PagerView } from '../views/pager-view.ts';
import type { TuiSession } from './session.ts';

/** Characters of a part that the list shows. */
const shownCharacters = 72;

/** `/copy`: the last answer, or a part of it from a list. `answer` behind it, and Ctrl+O: the whole answer at once. */
export async function copyAnswer(session: TuiSession, which: string): Promise<void> {
  const { stage } = session.parts;
  const answer = lastAnswer(session);
  if (answer === undefined) return session.notice('There is no answer to copy yet.');
  const parts = copiedParts(answer);
  if (parts.length === 1 || which === 'answer') return copy(session, parts[0]!);
  const close = (): void => stage.open(undefined);
  stage.open(
    new ListView({
      title: 'Copy what?',
      items: parts.map((part) => ({
        label: nameOf(part),
        about: cleanLine(part.text.trim()).slice(0, shownCharacters),
      })),
      close,
      pick(index) {
        close();
        const part = parts[index];
        if (part !== undefined) session.inBackground(copy(session, part));
      },
    }),
  );
}

/** `/raw`: the last answer as the model wrote it, for the mouse. */
export function showRaw(session: TuiSession): void {
  const { stage } = session.parts;
  const answer = lastAnswer(session);
  if (answer === undefined) return session.notice('There is no answer yet.');
  const lines = clean(answer.trimEnd()).split('\n');
  stage.openPager(
    new PagerView({
      title: 'The last answer as it was written',
      rows: (look) =>
        drawRows(
          lines.flatMap((line) => wrapRow([plain(withoutTabs(line, 4))], { width: look.width, breaking: 'anywhere' })),
          look,
        ),
      close: () => stage.openPager(undefined),
    }),
  );
}

function lastAnswer(session: TuiSession): string | undefined {
  return session.parts.stage.transcript.entries.findLast(({ answer }) => answer !== undefined)?.answer;
}

function nameOf({ kind, language }: CopiedPart): string {
  if (kind === 'answer') return 'the whole answer';
  return kind === 'quote' ? 'a quote' : language === undefined ? 'code' : cleanLine(`code, ${language}`);
}

async function copy(session: TuiSession, part: CopiedPart): Promise<void> {
  const { stage, engine } = session.parts;
  const copied = await copyText(part.text, {
    ways: copyWays(process.env, process.platform),
    feed: (words, text) => engine.user.feedClipboard(words, text),
    write: (sequence) => stage.send(sequence),
  });
  if ('code' in copied) return session.notice(fullText(copied), 'error');
  const what = part.kind === 'answer' ? 'The answer' : nameOf(part).replace(/^[a-z]/, (sign) => sign.toUpperCase());
  session.notice(`${what} (${plural(part.text.length, 'character')}) was copied to ${copied.name}.`);
}
