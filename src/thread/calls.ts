import type { Step } from '../envelope/step.ts';
import { notStarted } from '../fragments/call-answers.ts';
import type { CallItem } from '../protocol/item.ts';
import type { CallResult, RefusedCall } from '../tools/define.ts';
import type { Turn } from './parts.ts';
import { recordAnswer, recordTurnItem } from './record.ts';

/**
 * The calls of one step. Each begins as soon as it is known and its line is durable, while the model may still be
 * speaking; all are answered in the order in which they were asked for.
 */
export class Calls {
  readonly #turn: Turn;
  readonly #step: Step;
  readonly #running: { readonly call: CallItem; readonly result: Promise<CallResult | RefusedCall> }[] = [];

  constructor(turn: Turn, step: Step) {
    this.#turn = turn;
    this.#step = step;
  }

  get any(): boolean {
    return this.#running.length > 0;
  }

  start(call: CallItem): void {
    const result = this.#run(call);
    // A lost disk is reported by `finish`; until then nobody listens.
    result.catch(() => {});
    this.#running.push({ call, result });
  }

  async finish(): Promise<void> {
    for (const { call, result } of this.#running) {
      const end = await result;
      if ('item' in end) {
        recordTurnItem(this.#turn, end.item);
        this.#turn.log.tell({ kind: 'item-completed', item: end.item });
      }
      recordAnswer(this.#turn, call, end.output);
    }
  }

  async #run(call: CallItem): Promise<CallResult | RefusedCall> {
    const { log, parts, signal } = this.#turn;
    const prepared = parts.router.prepare(call, this.#step);
    if (prepared.kind === 'refused') return prepared;
    log.tell({ kind: 'item-started', item: prepared.item });
    await log.durable();
    return signal.aborted ? { kind: 'refused', output: notStarted } : prepared.run(signal);
  }
}
