import type { Step } from '../envelope/step.ts';
import type { CallItem } from '../protocol/item.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { StartedProcess } from '../ports/processes.ts';
import type { CallResult, PreparedCall, RefusedCall } from '../tools/define.ts';
import { callProcess, callStarted } from '../state/call-start.ts';
import type { Turn } from './parts.ts';
import { fairShare } from './output-share.ts';
import { recordAnswer, recordTurnItem } from './record.ts';
import { warnOnce } from './warn-once.ts';

/** A call that ends sooner than this shares its sync with what comes after it. */
const patienceMs = 50;
/** A process that lasts this long is worth a sync of its own. */
const lastingMs = 250;

interface Ended {
  readonly call: CallItem;
  readonly end: CallResult | RefusedCall;
}

/**
 * The calls of one step. Each begins as soon as it is known and its line is durable, while the model may still be
 * speaking. Answers are recorded when the model has finished, in the order in which they come.
 */
export class Calls {
  readonly #turn: Turn;
  readonly #step: Step;
  readonly #running = new Map<CallItem, Promise<Ended>>();
  #count = 0;

  constructor(turn: Turn, step: Step) {
    this.#turn = turn;
    this.#step = step;
  }

  get count(): number {
    return this.#count;
  }

  start(call: CallItem): void {
    const running = this.#run(call).then((end) => ({ call, end }));
    // A lost disk is reported by `finish`; until then nobody listens.
    running.catch(() => {});
    this.#running.set(call, running);
    this.#count++;
  }

  /** Waits for all, and leaves nothing that is known untold while it waits. */
  async finish(): Promise<void> {
    while (this.#running.size > 0) {
      const first = await this.#first();
      // Each output leaves the rest of the room to those that are still to come.
      const share = fairShare(this.#turn, this.#step, this.#running.size);
      this.#running.delete(first.call);
      this.#record(first, share);
    }
  }

  async #first(): Promise<Ended> {
    const first = Promise.race(this.#running.values());
    const waiting = new AbortController();
    const soon = await Promise.race([first, this.#turn.parts.clock.sleep(patienceMs, waiting.signal)]);
    // With a reason of its own: the default one is an error with a stack.
    waiting.abort('ended');
    if (soon !== undefined) return soon;
    const [ended] = await Promise.all([first, this.#turn.log.durable()]);
    return ended;
  }

  #record({ call, end }: Ended, share: number): void {
    if ('item' in end && !this.#turn.standing.has(end.item.id)) {
      recordTurnItem(this.#turn, end.item);
      this.#turn.log.tell({ kind: 'item-completed', item: end.item });
    }
    recordAnswer(this.#turn, call, end, share);
  }

  #tellStart({ item, standing }: PreparedCall): void {
    const known = this.#turn.standing.has(item.id);
    if (standing === true) this.#turn.standing.set(item.id, item);
    this.#turn.log.tell({ kind: known ? 'item-updated' : 'item-started', item });
  }

  /** Whoever finds the thread after a crash should know of a process that takes its time. */
  async #keep(over: AbortSignal): Promise<void> {
    await this.#turn.parts.clock.sleep(lastingMs, over);
    if (over.aborted) return;
    // A lost disk is reported by whoever needs it next.
    await this.#turn.log.durable().catch(() => {});
  }

  /** Goes out at once: it says why a call takes its time. */
  #warn(outcome: Outcome): void {
    if (warnOnce(this.#turn, outcome, 'code')) this.#turn.log.durable().catch(() => {});
  }

  async #run(call: CallItem): Promise<CallResult | RefusedCall> {
    const { log, parts, signal, threadId, turnId, effects } = this.#turn;
    const prepared = parts.router.prepare(call, this.#step);
    if (prepared.kind === 'refused') return prepared;
    const { call_id: callId, name: tool } = call;
    log.record(callStarted({ threadId, turnId, callId, tool, at: parts.clock.now(), item: prepared.item }));
    // Not sooner: another call's sync must not let it out before its line.
    this.#tellStart(prepared);
    if (prepared.mayWrite === true) await effects.before();
    await log.durable();
    const over = new AbortController();
    const onStarted = (process: StartedProcess): void => {
      log.record(callProcess(turnId, callId, process));
      void this.#keep(over.signal);
    };
    const end = await prepared.run(signal, onStarted, (outcome) => this.#warn(outcome));
    if (prepared.mayWrite === true) effects.ended(end.touched);
    over.abort('ended');
    return end;
  }
}
