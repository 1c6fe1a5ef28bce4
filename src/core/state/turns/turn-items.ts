import { entryFromLine } from '../../history/entry.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { asItem } from '../../../protocol/item.ts';
import { type JsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import { type Line, lineType } from '../../../protocol/line.ts';
import { addUsage, carryCostForward, noUsage, type Usage, usageSince } from '../../../protocol/usage.ts';
import { readCallQuestion, readAnswer } from '../questions/question-lines.ts';
import { outputOf, recordedItem } from '../recorded/conversation-items.ts';
import type { CallQuestion, RecordedCall, RecordedItem } from '../recorded/conversation-items.ts';
import { isCostCarried, type TurnStatus } from '../drafts/turn-lines.ts';
import {
  countTurns,
  foldTurnWithoutWords,
  isOfTurn,
  noTurnsWithInherited,
  remainingTurns,
  turnNumber,
  type TurnLog,
} from './turn-log.ts';
import { readUsage } from '../drafts/usage-and-failure-fields.ts';
import { agentReportIn, threadTotalIn } from '../fold/waiting-messages.ts';

export interface TurnWithItems {
  /** Counted from 1 over all turns that began. */
  readonly number: number;
  /** Absent: the lines hold items and no turn. */
  readonly id?: TurnId;
  readonly startedAt: string;
  readonly status: TurnStatus;
  /** A rollback has taken it back: the model does not see it any more. */
  readonly isTakenBack: boolean;
  readonly context?: JsonObject;
  readonly error?: string;
  /** Chronological; a call is at the place where it began. */
  readonly items: readonly RecordedItem[];
  /** Cost of its requests as counted by the provider; absent if it counted none. */
  readonly usage?: Usage;
  /** Number of answers that the provider did not count; absent if zero. Lines of other programs lack it. */
  readonly uncounted?: number;
}

export interface TurnItems {
  /** Oldest first, including turns that were taken back. */
  readonly turns: readonly TurnWithItems[];
  readonly usage: Usage;
  /** Place of each item: the ordinal of its line, or the line number in a file without ordinals. */
  readonly places: ReadonlyMap<RecordedItem, number>;
}

/** Items between two turns belong to the former. Holds everything in memory: `foldTurn` needs none of them. */
export function readTurnItems(lines: Iterable<Line>): TurnItems {
  const reader = new TurnItemsReader();
  for (const line of lines) reader.read(line);
  return reader.end();
}

/** Takes a reader instead of lines, and holds none of them. */
export async function readTurnItemsFrom<Report>(
  lines: AsyncGenerator<Line, Report>,
  progress?: (count: number) => unknown,
): Promise<TurnItems & Report> {
  const reader = new TurnItemsReader();
  for (let count = 1; ; count++) {
    const next = await lines.next();
    if (next.done === true) return { ...reader.end(), ...next.value };
    reader.read(next.value);
    await progress?.(count);
  }
}

type Cost = Pick<TurnWithItems, 'usage' | 'uncounted'>;

export function costOfAllTurns({ turns, usage }: Pick<TurnItems, 'turns' | 'usage'>): Cost {
  const uncounted = turns.reduce((sum, turn) => sum + (turn.uncounted ?? 0), 0);
  return { ...(isSpent(usage) && { usage }), ...(uncounted > 0 && { uncounted }) };
}

type Growing<Value> = { -readonly [Key in keyof Value]: Value[Key] };
type GrowingTurn = Growing<Omit<TurnWithItems, 'items'>> & { readonly items: RecordedItem[] };

class TurnItemsReader {
  readonly #turns: GrowingTurn[] = [];
  readonly #calls = new Map<string, Growing<RecordedCall>>();
  readonly #asked = new Map<string, Growing<CallQuestion>>();
  readonly #places = new Map<RecordedItem, number>();
  #lines = 0;
  #log = noTurnsWithInherited;
  #usage: Usage = noUsage;
  #before: Usage = noUsage;

  read(line: Line): void {
    const { type, payload } = line;
    this.#readTurn(line);
    if (type === lineType.turnContext && isOfTurn(this.#log, payload)) this.#turn(line).context = payload;
    const text = stringAt(payload, 'message') ?? '';
    if (type === lineType.compacted) this.#add(line, { kind: 'checkpoint', text });
    if (type === lineType.responseItem) this.#readItem(line);
    if (type === lineType.question) this.#readQuestion(payload);
    if (type === lineType.call) this.#readPlace(payload);
    if (type === lineType.event && payload['type'] === 'token_count') this.#count(payload);
    if (type === lineType.waiting) this.#countMessage(payload);
    if (type === lineType.step && isUncounted(payload)) {
      const turn = this.#turn(line);
      turn.uncounted = (turn.uncounted ?? 0) + 1;
    }
    this.#lines++;
  }

  end(): TurnItems {
    this.#settle(this.#log);
    return { turns: this.#turns, usage: this.#usage, places: this.#places };
  }

  #add(line: Line, item: RecordedItem): void {
    this.#turn(line).items.push(item);
    this.#places.set(item, line.ordinal ?? this.#lines);
  }

  #readTurn(line: Line): void {
    const before = this.#log;
    this.#log = foldTurnWithoutWords(before, line);
    const { newest, began, takenBack } = this.#log;
    if (began > before.began) {
      this.#before = this.#usage;
      this.#turn(line).id = newest!.id;
    }
    if (takenBack !== before.takenBack) {
      this.#settle(before);
      const taken = remainingTurns(before).slice(countTurns(this.#log));
      for (const { number } of taken) this.#turns[number - 1]!.isTakenBack = true;
    }
    const error = stringAt(objectAt(line.payload, 'error'), 'message');
    if (error === undefined) return;
    const known = remainingTurns(before);
    const failed = remainingTurns(this.#log).find((turn, at) => turn !== known[at]);
    if (failed?.status === 'failed') this.#turns[failed.number - 1]!.error = error;
  }

  #settle(log: TurnLog): void {
    for (const { number, status } of remainingTurns(log)) this.#turns[number - 1]!.status = status;
  }

  #readItem(line: Line): void {
    const item = asItem(line.payload);
    if (item === undefined) return;
    const callId = stringAt(item, 'call_id');
    if (item.type.endsWith('_output')) {
      const call = callId === undefined ? undefined : this.#calls.get(callId);
      if (call !== undefined) call.output = outputOf(item);
      return;
    }
    const shown = recordedItem(entryFromLine(item, line.metadata));
    if (shown === undefined) return;
    this.#add(line, shown);
    if (shown.kind === 'call' && callId !== undefined) this.#calls.set(callId, shown);
  }

  #readQuestion(payload: JsonObject): void {
    const [callId = '', about = ''] = [stringAt(payload, 'call_id'), stringAt(payload, 'about')];
    const call = this.#calls.get(callId);
    if (call === undefined || payload['dropped'] !== undefined) return;
    if (payload['answer'] !== undefined) {
      const answer = readAnswer(objectAt(payload, 'answer'));
      const asked = this.#asked.get(`${callId} ${about}`);
      if (answer !== undefined && asked !== undefined) asked.answer ??= answer;
      return;
    }
    const superseded = this.#asked.get(`${callId} ${stringAt(payload, 'supersedes') ?? ''}`);
    const asked = readCallQuestion(payload);
    this.#asked.set(`${callId} ${about}`, asked);
    call.asked = [...(call.asked ?? []).filter((each) => each !== superseded), asked];
  }

  #readPlace(payload: JsonObject): void {
    const call = this.#calls.get(stringAt(payload, 'call_id') ?? '');
    if (call === undefined || payload['outside'] !== true) return;
    call.outside = true;
    if (payload['confined'] === true) call.confined = true;
  }

  #count(event: JsonObject): void {
    const total = objectAt(objectAt(event, 'info'), 'total_token_usage');
    if (total === undefined) return;
    this.#usage = carryCostForward(this.#usage, readUsage(total));
    // The cost of turns that were taken back belongs to no turn of this file.
    if (!isCostCarried(event)) this.#spend();
  }

  #spend(): void {
    const turn = this.#turns.at(-1);
    const spent = usageSince(this.#before, this.#usage);
    if (turn !== undefined && isSpent(spent)) turn.usage = spent;
  }

  /** The cost of an agent is part of the turn that it worked for. That of a code review is part of no turn. */
  #countMessage(payload: JsonObject): void {
    const total = threadTotalIn(payload);
    // A repeated line has the data of the first one.
    if (total === undefined || total.total < this.#usage.total) return;
    const isTurns = agentReportIn(payload) !== undefined;
    if (!isTurns) this.#before = addUsage(this.#before, usageSince(this.#usage, total));
    this.#usage = total;
    if (isTurns) this.#spend();
  }

  #turn({ timestamp }: Line): GrowingTurn {
    const number = turnNumber(this.#log);
    const known = this.#turns[number - 1];
    if (known !== undefined) return known;
    const turn: GrowingTurn = { number, startedAt: timestamp, status: 'completed', isTakenBack: false, items: [] };
    this.#turns.push(turn);
    return turn;
  }
}

const isUncounted = ({ outcome, usage }: JsonObject): boolean =>
  (outcome === 'done' || outcome === 'go-on') && usage === undefined;

/** Counted by the provider, or estimated without a count. */
const isSpent = ({ total, estimated = 0 }: Usage): boolean => total + estimated > 0;
