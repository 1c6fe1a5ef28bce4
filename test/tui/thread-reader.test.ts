import { expect, it } from 'vitest';
import type { Ordinal, TurnId } from '../../src/protocol/ids.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { noUsage } from '../../src/protocol/usage.ts';
import type { LiveNews } from '../../src/engine/live/live-thread-types.ts';
import { cursorAt } from '../../src/engine/live/line-cursor.ts';
import { EventEntries } from '../../src/surfaces/tui/transcript/event-entries.ts';
import { defaultScreenLook, TuiScreen } from '../../src/surfaces/tui/screen/tui-screen.ts';
import { ThreadReader } from '../../src/surfaces/tui/session/thread-reader.ts';
import { timeOfDay } from '../../src/surfaces/tui/transcript/cells/notice-cells.ts';
import { MemoryTerminal } from '../harness/memory-terminal.ts';

const turnId = 't' as TurnId;

it('turns that an undo brings back have the time of their lines, and not that of the undo', async () => {
  const now = (): number => Date.parse('2026-11-15T09:00:00.000Z');
  const look = defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
  const stage = new TuiScreen({ terminal: new MemoryTerminal(), look, isFull: false, reflows: false, now });
  const entries = new EventEntries(stage.transcript, () => true);
  const recorded = (ordinal: number, timestamp: string, event: ThreadEvent): LiveNews => ({
    kind: 'recorded',
    ordinal: ordinal as Ordinal,
    cursor: cursorAt(ordinal, { timestamp }),
    event,
  });
  const ended = '2026-11-15T07:31:05.000Z';
  const reader = new ThreadReader(
    {
      place: undefined,
      async *follow() {
        yield recorded(1, '2026-11-15T07:31:00.000Z', { kind: 'turn-started', turnId, usage: noUsage });
        yield recorded(2, ended, { kind: 'turn-completed', turnId, usage: noUsage, lastMessage: 'Yes.' });
      },
    },
    {
      stage,
      entries,
      now,
      asked: () => {},
      answered: () => {},
      said: () => {},
      observe: () => {},
      proposed: () => {},
      turnBegan: () => {},
      turnOver: () => {},
    },
  );
  await reader.caughtUp;
  const rows = () => stage.transcript.lastRows(stage.look, 10, 0);
  await expect.poll(rows).toEqual(['', `  Worked for 5s · ${timeOfDay(Date.parse(ended))}`]);
  reader.close();
  stage.discard();
});
