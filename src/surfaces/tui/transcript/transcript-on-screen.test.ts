import { expect, it } from 'vitest';
import { noticeCell } from './cells/notice-cells.ts';
import type { Look } from '../screen/text/look.ts';
import { type AnnouncedState, TranscriptAnnouncements } from './transcript-on-screen.ts';
import { noneWaiting } from '../screen/bottom-frame.ts';
import { defaultScreenLook, screenReaderLook } from '../screen/tui-screen.ts';
import { Transcript } from './transcript.ts';

const look: Look = {
  ...defaultScreenLook({}, { cwd: '/w', home: '/h' }),
  ...screenReaderLook,
  width: 80,
  details: 'folded',
  now: 5000,
};

function announced() {
  const announcements = new TranscriptAnnouncements();
  const transcript = new Transcript();
  const nothing: AnnouncedState = { busy: undefined, failed: undefined, waiting: noneWaiting, transcript };
  return {
    transcript,
    news: (state: Partial<AnnouncedState>): readonly string[] => announcements.news({ ...nothing, ...state }, look),
  };
}

it('words that wait are said once each, with what they wait for', () => {
  const { news } = announced();
  const waiting = { steers: ['Use tabs.'], refused: ['Then stop.'], queued: ['Test it.'] };
  expect(news({ waiting })).toEqual([
    "For the model's next request: Use tabs.",
    'For when this has ended: Then stop.',
    'Queued: Test it.',
  ]);
  expect(news({ waiting })).toEqual([]);
  expect(news({ waiting: { ...waiting, queued: ['Test it.', 'Commit.'] } })).toEqual(['Queued: Commit.']);
});

it('a turn that failed is said once, with the keys for it', () => {
  const { news } = announced();
  const failed = { holdsQueue: true };
  expect(news({ failed })).toEqual(['R tries again, Up restores the message. The queue waits.']);
  expect(news({ failed })).toEqual([]);
  expect(news({})).toEqual([]);
  expect(news({ failed: {} })).toEqual(['R tries again, Up restores the message.']);
});

it('what begins to run is said when the words of the user stand above it, or do not come', () => {
  const { news, transcript } = announced();
  const busy = { header: 'Working', since: 4500 };
  news({});
  expect(news({ busy })).toEqual([]);
  transcript.add({ cell: noticeCell('info', { message: 'You: Go.' }), isFinal: true });
  expect(news({ busy })).toEqual(['Working. Escape interrupts.']);
  expect(news({ busy: { ...busy, detail: 'the tests' } })).toEqual(['Working: the tests. Escape interrupts.']);
  expect(announced().news({ busy: { header: 'Compacting', since: 0 } })).toEqual(['Compacting. Escape interrupts.']);
});
