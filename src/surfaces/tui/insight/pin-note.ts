import { fullText } from '../../../protocol/outcome.ts';
import { draftOf } from '../composer/draft.ts';
import { changeWhole } from './change-whole.ts';
import type { InsightHost } from './insight-host.ts';

/** What came of a wish, in words for the user. */
export interface PinResult {
  readonly isDone: boolean;
  readonly words: string;
}

const longestShown = 200;

/** Pins a text to the thread, word for word: the model reads it again after every checkpoint. */
export async function pinText(host: InsightHost, text: string): Promise<PinResult> {
  const { thread } = host;
  const { id } = thread;
  if (thread.place === undefined) return { isDone: false, words: 'Nothing was sent yet. Send a message first.' };
  if (host.isBusy) {
    // A thread is changed as a whole when nothing runs in it. The model reads notes with the next turn in any case.
    host.queue(draftOf(`/pin ${text}`));
    return {
      isDone: true,
      words: 'Capstan pins the note when this turn has ended: the model reads it from the next turn on.',
    };
  }
  const done = await changeWhole(host, (stored) => stored.pin(id, text));
  if (done.kind === 'refused') return { isDone: false, words: fullText(done.outcome) };
  const said = done.pin.text.slice(0, longestShown).toWellFormed();
  return {
    isDone: true,
    words: [
      `Pinned as note ${done.pins.length}: ${said}${said.length < done.pin.text.length ? '…' : ''}`,
      'The model reads it with the next turn, and again after every checkpoint. /pin lists and removes notes.',
      ...done.notices.map(fullText),
    ].join('\n'),
  };
}

/** `which`: its number, or its id. */
export async function unpin(host: InsightHost, which: string): Promise<PinResult> {
  const { id } = host.thread;
  const done = await changeWhole(host, (stored) => stored.unpin(id, which));
  if (done.kind === 'refused') return { isDone: false, words: fullText(done.outcome) };
  return { isDone: true, words: 'The note is removed. The next turn informs the model that it no longer applies.' };
}
