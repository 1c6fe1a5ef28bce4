import type { CheckpointReport } from '../protocol/checkpoint-report.ts';
import type { Ordinal, TurnId } from '../protocol/ids.ts';
import { numberAt, stringAt } from '../protocol/json.ts';
import { type Line, lineType } from '../protocol/line.ts';
import { readCheckpoint } from './checkpoint-record.ts';
import { isSound } from './compacted.ts';
import { closes } from './fold-event.ts';
import { holdsUsersWords } from './reduce.ts';
import { spokenWords, type SpokenWords } from './spoken-words.ts';

/** Where a turn stands in its thread. Lines of the old form, which have no ordinals, are counted. */
export interface TurnPlace {
  readonly id: TurnId;
  /** Its first line. */
  readonly start: Ordinal;
  /** Behind its last line; absent as long as nothing says that it has ended. */
  readonly end?: Ordinal;
  /** A user spoke in it: a rollback counts it. */
  readonly counts: boolean;
}

/** A turn while lines are read. */
interface ReadTurn extends TurnPlace {
  /** Has no line that says that it began: it goes on until the next turn begins. In which forms its user spoke. */
  readonly implicit?: readonly SpokenWords['form'][];
}

/** Where a checkpoint stands in its thread. */
export interface CheckpointPlace {
  /** Its line. */
  readonly at: Ordinal;
  /** How many turns began before it. */
  readonly turns: number;
  /** The last of them had not ended: `spoken` if a user spoke in it before, `done` if it was about to end. */
  readonly inside?: { readonly spoken: boolean; readonly done: boolean };
  readonly timestamp: string;
  /** Absent: another program made it. */
  readonly report?: CheckpointReport;
}

export interface ThreadPlaces {
  /** Turns that stand, oldest first. */
  readonly turns: readonly TurnPlace[];
  /** Checkpoints that stand, oldest first. */
  readonly checkpoints: readonly CheckpointPlace[];
  /** Behind the last line. */
  readonly end: Ordinal;
  /** What the newest rollback marker took back, marker not included. */
  readonly takenBack?: { readonly start: Ordinal; readonly end: Ordinal; readonly turns: readonly TurnId[] };
}

/** Where a rollback goes to: before so many turns, at this line. */
interface Mark {
  readonly turns: number;
  readonly start: number;
}

/** The turns of a thread, with the meaning that `reduce` gives to their lines: those that `turnList` shows. */
export async function turnPlaces(lines: AsyncIterable<Line>): Promise<ThreadPlaces> {
  const turns: ReadTurn[] = [];
  const marks: Mark[] = [];
  const checkpoints: CheckpointPlace[] = [];
  let takenBack: ThreadPlaces['takenBack'];
  let place = -1;
  let count = -1;
  let ownFrom = 0;
  let openId: string | undefined;
  const change = (more: Partial<ReadTurn>): void => {
    const last = turns.pop();
    if (last !== undefined) turns.push({ ...last, ...more });
  };
  const endImplicit = (end: Ordinal): void => {
    const last = turns.at(-1);
    if (last?.implicit !== undefined && last.end === undefined) change({ end });
  };
  const begin = (turn: ReadTurn): void => {
    endImplicit(turn.start);
    turns.push(turn);
  };
  for await (const line of lines) {
    place = line.ordinal ?? place + 1;
    count += 1;
    if (count === 0 && line.type === lineType.sessionMeta) {
      ownFrom = numberAt(line.payload, 'subagent_history_start_ordinal') ?? 0;
    }
    if ((line.ordinal ?? ownFrom) < ownFrom) continue;
    const words = openId === undefined ? spokenWords(line) : undefined;
    if (words?.role === 'user') {
      const spoken = turns.at(-1)?.implicit;
      if (spoken?.includes(words.form) === false) change({ implicit: [...spoken, words.form] });
      else begin({ id: unnamed(count), start: place as Ordinal, counts: false, implicit: [words.form] });
    }
    if (line.type === lineType.responseItem && holdsUsersWords(line)) {
      const open = openId !== undefined || words !== undefined ? turns.at(-1) : undefined;
      if (open === undefined) marks.push({ turns: turns.length, start: place });
      else if (!open.counts) {
        marks.push({ turns: turns.length - 1, start: open.start });
        change({ counts: true });
      }
    }
    if (line.type === lineType.compacted && isSound(line.payload)) {
      const report = readCheckpoint(line.payload);
      const open = openId === undefined ? undefined : turns.at(-1);
      checkpoints.push({
        at: place as Ordinal,
        turns: turns.length,
        ...(open === undefined ? {} : { inside: { spoken: open.counts, done: report?.phase === 'post_turn' } }),
        timestamp: line.timestamp,
        ...(report === undefined ? {} : { report }),
      });
    }
    if (line.type !== lineType.event) continue;
    const id = stringAt(line.payload, 'turn_id') ?? '';
    switch (line.payload['type']) {
      case 'task_started':
      case 'turn_started':
        begin({ id: id === '' ? unnamed(count) : (id as TurnId), start: place as Ordinal, counts: false });
        openId = id;
        break;
      case 'task_complete':
      case 'turn_complete':
      case 'turn_aborted':
        if (openId === undefined || !closes(id, openId)) break;
        change({ end: (place + 1) as Ordinal });
        openId = undefined;
        break;
      case 'thread_rolled_back': {
        const count = numberAt(line.payload, 'num_turns') ?? 0;
        const target = marks[Math.max(0, marks.length - count)];
        if (count < 1 || target === undefined) break;
        marks.length = Math.max(0, marks.length - count);
        const taken = turns.splice(target.turns).map((turn) => turn.id);
        while ((checkpoints.at(-1)?.at ?? -1) >= target.start) checkpoints.pop();
        takenBack = { start: target.start as Ordinal, end: place as Ordinal, turns: taken };
        openId = undefined;
        break;
      }
      default:
    }
  }
  const end = (place + 1) as Ordinal;
  endImplicit(end);
  const places = turns.map(({ implicit: _implicit, ...turn }) => turn);
  return { turns: places, checkpoints, end, ...(takenBack === undefined ? {} : { takenBack }) };
}

/** What `turnList` calls a turn without a name: by the number of its first line. */
function unnamed(line: number): TurnId {
  return `rollout-${line}` as TurnId;
}
