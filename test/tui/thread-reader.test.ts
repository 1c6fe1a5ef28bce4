import { expect, it } from 'vitest';
import type { Ordinal, TurnId } from '../../src/protocol/ids.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { noUsage } from '../../src/protocol/usage.ts';
import type { LiveNews } from '../../src/surfaces/engine/live/live-thread.ts';
import { cursorAt } from '../../src/surfaces/engine/live/place-cursor.ts';
import { EventEntries } from '../../src/surfaces/tui/app/event-entries.ts';
import { plainLook } from '../../src/surfaces/tui/app/plain-look.ts';
import { TuiStage } from '../../src/surfaces/tui/app/stage.ts';
import { ThreadReader } from '../../src/surfaces/tui/app/thread-reader.ts';
import { timeOfDay } from '../../src/surfaces/tui/cells/turn-end-cell.ts';
import { MemoryTerminal } from '../harness/memory-terminal.ts';

const turnId = 't' as TurnId;

it('turns that an undo brings back have the time of their lines, and not that of the undo', async () => {
  const now = (): number => Date.parse('2026-11-15T09:00:00.000Z');
  const look = plainLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
  const stage = new TuiStage({ terminal: new MemoryTerminal(), look, isFull: false, reflows: false, now });
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
