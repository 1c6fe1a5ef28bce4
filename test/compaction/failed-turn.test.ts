import { expect, it } from 'vitest';
import { httpError } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { userTexts } from './summariser.ts';
import { says, saysLong, talk, task } from './talk.ts';

it('a checkpoint marks the message of a turn that failed, and keeps the mark', async () => {
  const fails = httpError({ status: 401, body: { error: { message: 'No such key.' } } });
  const live = await LiveThread.in(talk([saysLong(), fails, says('Yes.')]));
  await live.turn(task);
  expect(await live.turn('And the lexer.')).toMatchObject({ kind: 'failed' });
  // Another process reads from the file that the turn failed.
  await live.open();
  await live.turn('Once more.');
  for (const words of ['Go on.', 'And on.']) {
    await live.thread.compact({ signal: new AbortController().signal });
    await live.turn(words);
    const notes = userTexts(live.model.requests.at(-1)!).flatMap((text) => text.match(/^=+ turn \d.*$/gm) ?? []);
    expect(notes.filter((note) => note.includes('ended early'))).toEqual(['===== turn 2, ended early =====']);
  }
});
