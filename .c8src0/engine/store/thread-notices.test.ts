import { expect, it } from 'vitest';
import type { ThreadId } from '../../protocol/ids.ts';
import type { UnprovenClaims } from '../thread/branch/unproven-lines.ts';
import { unprovenNotice } from './thread-notices.ts';

const id = 'ID' as ThreadId;
const message: UnprovenClaims['messages'][number] = {
  id: 'w',
  kind: 'words',
  input: { author: 'user', text: 'Go.', images: [] },
};
const pin: UnprovenClaims['pins'][number] = { id: 'p', text: 'Be brief.' };

it('speaks of one note as of one, and of several things as of several', () => {
  expect(unprovenNotice(id, { messages: [], pins: [] })).toBe(undefined);
  expect(unprovenNotice(id, { messages: [], pins: [pin] })).toEqual({
    code: 'user-lines-unproven',
    message: '1 pinned note of thread ID is ignored: Capstan cannot verify that it wrote it in this home folder.',
    next: 'Read what it says with `capstan threads show ID`. If it is yours, pin the note again (see `capstan threads pin --help`).',
  });
  expect(unprovenNotice(id, { messages: [message, message], pins: [pin] })).toEqual({
    code: 'user-lines-unproven',
    message:
      '2 waiting messages and 1 pinned note of thread ID are ignored: Capstan cannot verify that it wrote them in this home folder.',
    next: 'Read what they say with `capstan threads show ID`. If they are yours, send the messages again, and pin the note again (see `capstan threads pin --help`).',
  });
});
