import { type Entry, entryOf } from '../../history/entry.ts';
import { asItem } from '../../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import { isCostCarried } from '../../state/turn-drafts.ts';
import { readUsage } from '../../state/usage-fields.ts';
import { outputOf, pagePart } from './page-parts.ts';
import type { PageCall, PagePart, PageTurn, ThreadPage } from './thread-page.ts';

/** Reads the lines of a thread as people read it: turn after turn, those that were taken back included. */
export function readPage(id: string, lines: readonly Line[]): ThreadPage {
  const reader = new PageReader();
  for (const line of lines) reader.read(line);
  const meta = lines.find(({ type }) => type === lineType.sessionMeta)?.payload ?? {};
  const [cwd, forkedFrom] = [stringAt(meta, 'cwd'), stringAt(meta, 'forked_from_id')];
  const program = [stringAt(meta, 'originator'), stringAt(meta, 'cli_version')].filter(Boolean).join(' ');
  return {
    id,
    startedAt: stringAt(meta, 'timestamp') ?? lines[0]?.timestamp ?? '',
    ...(program === '' ? {} : { program }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    turns: reader.turns,
    usage: reader.usage,
  };
}

type Growing<Value> = { -readonly [Key in keyof Value]: Value[Key] };

interface GrowingTurn extends Growing<Omit<PageTurn, 'parts'>> {
  readonly parts: PagePart[];
}

class PageReader {
  readonly turns: GrowingTurn[] = [];
  usage: Usage = noUsage;
  readonly #calls = new Map<string, Growing<PageCall>>();
  #isOpen = false;
  /** The thread's usage when the turn began. */
  #before: Usage = noUsage;

  read(line: Line): void {
    const { type, payload } = line;
    if (type === lineType.event) return this.#readEvent(payload, line.timestamp);
    if (type === lineType.turnContext) this.#turn(line.timestamp).settings = settingsOf(payload);
    if (type === lineType.compacted) {
      this.#turn(line.timestamp).parts.push({ kind: 'checkpoint', text: stringAt(payload, 'message') ?? '' });
    }
    const item = type === lineType.responseItem ? asItem(payload) : undefined;
    if (item !== undefined) this.#readEntry(entryOf(item, line.metadata), line.timestamp);
  }

  #readEntry(entry: Entry, at: string): void {
    const { item, origin } = entry;
    const callId = stringAt(item, 'call_id');
    if (item.type.endsWith('_output')) {
      const call = callId === undefined ? undefined : this.#calls.get(callId);
      if (call !== undefined) call.output = outputOf(item);
      return;
    }
    const part = pagePart(entry);
    if (part === undefined) return;
    // Files without turn records: each user's message begins one.
    if (origin.family === 'user' && !this.#isOpen && hasUserWords(this.turns.at(-1))) this.#begin(at, 'completed');
    this.#turn(at).parts.push(part);
    if (part.kind === 'call' && callId !== undefined) this.#calls.set(callId, part);
  }

  #readEvent(event: JsonObject, at: string): void {
    switch (event['type']) {
      case 'task_started':
      case 'turn_started':
        this.#begin(at, 'open');
        this.#isOpen = true;
        return;
      case 'task_complete':
      case 'turn_complete':
        return this.#end(objectAt(event, 'error') === undefined ? 'completed' : 'failed', objectAt(event, 'error'));
      case 'turn_aborted':
        return this.#end('interrupted');
      case 'token_count': {
        const total = objectAt(objectAt(event, 'info') ?? {}, 'total_token_usage');
        if (total !== undefined) this.#count(readUsage(total), isCostCarried(event));
        return;
      }
      case 'thread_rolled_back':
        return this.#takeBack(numberAt(event, 'num_turns') ?? 0);
    }
  }

  /** `completed`: no line will say how it ends. */
  #begin(at: string, status: 'open' | 'completed'): GrowingTurn {
    // Nobody has said how the turn before ended: its process did not live to do it.
    const last = this.turns.at(-1);
    if (last?.status === 'open' && this.#isOpen) last.status = 'interrupted';
    this.#before = this.usage;
    const number = this.turns.length + 1;
    const turn = { number, startedAt: at, status, isTakenBack: false, settings: [], parts: [] };
    this.turns.push(turn);
    return turn;
  }

  #end(status: PageTurn['status'], error?: JsonObject): void {
    this.#isOpen = false;
    const turn = this.turns.at(-1);
    if (turn === undefined) return;
    turn.status = status;
    const message = error === undefined ? undefined : stringAt(error, 'message');
    if (message !== undefined) turn.error = message;
  }

  #count(total: Usage, isCarried: boolean): void {
    this.usage = total;
    const turn = isCarried ? undefined : this.turns.at(-1);
    if (turn !== undefined) turn.usage = less(total, this.#before);
  }

  #takeBack(count: number): void {
    const standing = this.turns.filter((turn) => !turn.isTakenBack && hasUserWords(turn));
    const first = standing[Math.max(0, standing.length - count)];
    if (count < 1 || first === undefined) return;
    for (const turn of this.turns.slice(first.number - 1)) turn.isTakenBack = true;
  }

  #turn(at: string): GrowingTurn {
    return this.turns.at(-1) ?? this.#begin(at, 'completed');
  }
}

function hasUserWords(turn: GrowingTurn | undefined): boolean {
  return turn?.parts.some(({ kind }) => kind === 'user') === true;
}

function less(total: Usage, before: Usage): Usage {
  const keys = Object.keys(total) as (keyof Usage)[];
  return Object.fromEntries(keys.map((key) => [key, Math.max(0, total[key] - before[key])])) as unknown as Usage;
}

function settingsOf(context: JsonObject): PageTurn['settings'] {
  const sandbox = objectAt(context, 'sandbox_policy') ?? {};
  const mode = stringAt(objectAt(context, 'collaboration_mode') ?? {}, 'mode');
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['model', stringAt(context, 'model')],
    ['effort', stringAt(context, 'effort')],
    ['folder', stringAt(context, 'cwd')],
    ['sandbox', stringAt(sandbox, 'type') ?? stringAt(sandbox, 'mode')],
    ['approval', stringAt(context, 'approval_policy')],
    ['mode', mode === 'default' ? undefined : mode],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined);
}
