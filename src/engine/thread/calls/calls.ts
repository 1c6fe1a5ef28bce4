import type { Step } from '../../../core/envelope/envelope.ts';
import { allowedWithCommentText, toolFailedText } from '../../../core/fragments/answers/tool-calls.ts';
import { notRunAgainText, ranAgainText } from '../../../core/fragments/answers/refusals.ts';
import { defined } from '../../../base/objects.ts';
import { messageOfThrown } from '../../../protocol/display-text.ts';
import { type CallItem, isCall } from '../../../protocol/item.ts';
import { historyEntries } from '../../../core/history/history.ts';
import type { ThreadState } from '../../../core/state/thread-state.ts';
import { Fault } from '../../../protocol/outcome.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { describeOutsideRun } from '../../../core/policy/decide/question-content.ts';
import type { PreparedCall, RefusedCall } from '../../../adapters/tools/tool.ts';
import { confirmGrant, grantCall, grantRetry, grantSuspended } from './grant-call.ts';
import type { CallToGrant, GrantedCall, GrantDecision, SuspendedAsking, SuspendedCall } from './grant-call.ts';
import { performCall, type RanCall, withConfinementNote, withNote } from './perform-call.ts';
import { CallOrder, type PlaceInOrder, QuestionOrder, type PlaceInQuestionOrder } from './call-order.ts';
import { usesTurnGrants, readCommandBeforeRetry, readCommandIfNeeded } from './decide-call.ts';
import { recordCallDecided } from './ask-about-call.ts';
import type { Turn } from '../thread-parts.ts';
import type { CallAfterHooks } from '../hooks/call-hooks.ts';
import { outputShare } from '../context/window-use.ts';
import { recordCallOutput, recordTurnItem } from '../record/record-items.ts';
import { commandNotRun } from '../../../core/state/questions/call-arguments.ts';
import type { RefusedCallRecord } from '../../../core/state/drafts/item-lines.ts';

/** A call that ends sooner gets no sync of its own: its lines become durable with those after it. */
const patienceMs = 50;
type Ended = { readonly call: CallItem; readonly end: CallEnd };
type Confirmed = GrantDecision | undefined;
type CallInOrder = CallToGrant & { readonly place: PlaceInOrder };
type CallToRepeat = CallInOrder & { readonly end: RanCall; readonly granted: Confirmed; readonly retry: AskInTurn };
type AskInTurn = (inOrder: PlaceInQuestionOrder) => Confirmed | Promise<Confirmed>;
/** `shown`: the refused call, as far as it was understood. */
type CallEnd = RanCall | (RefusedCall & { readonly shown?: TurnItem }) | SuspendedCall;

/** The calls of one step. Each begins once its line is durable; outputs are recorded after the model has finished. */
export class StepCalls {
  readonly #turn: Turn;
  readonly #step: Step;
  readonly #running = new Map<CallItem, Promise<Ended>>();
  readonly #order = new CallOrder();
  readonly #questions = new QuestionOrder();
  readonly #thrown: { readonly error: unknown }[] = [];
  readonly #suspended = new Set<string>();
  #count = 0;

  constructor(turn: Turn, step: Step) {
    this.#turn = turn;
    this.#step = step;
  }

  get count(): number {
    return this.#count;
  }

  /** A call waits for an answer that this process will not get. Known after `finish`. */
  get isSuspended(): boolean {
    return this.#suspended.size > 0;
  }

  /** `suspended`: what is known of a call whose turn was suspended before it began. */
  start(call: CallItem, suspended?: SuspendedAsking): void {
    const inOrder = this.#questions.next();
    const running = this.#run(call, inOrder, suspended)
      .finally(() => {
        inOrder.pass();
        // The call may have ended before its question was shown again.
        if (suspended !== undefined) this.#turn.questions.lapse(suspended.id);
      })
      .catch((error: unknown) => this.#refusedFor(error))
      .then((end) => ({ call, end }));
    // A lost disk is reported by `finish`; until then no caller listens.
    running.catch(() => {});
    this.#running.set(call, running);
    this.#count++;
  }

  /** Waits for all calls, and makes results durable meanwhile. If a call threw, rejects when no call runs any more. */
  async finish(): Promise<void> {
    while (this.#running.size > 0) {
      const first = await this.#first();
      // Each output leaves the rest of the space to those still to come.
      const share = outputShare(this.#turn, this.#step, this.#running.size);
      this.#running.delete(first.call);
      this.#record(first, share);
    }
    // After all outputs: nothing may come between a call and its own.
    if (this.#turn.memory.hookTexts.length > 0)
      (await import('../hooks/run-hooks.ts')).recordHookTexts(this.#turn, this.#suspended);
    const [thrown] = this.#thrown.splice(0);
    if (thrown !== undefined) throw thrown.error;
  }

  /** Tools return failures as results: a throw is an error of the program. */
  #refusedFor(error: unknown): CallEnd {
    if (error instanceof Fault) throw error;
    this.#thrown.push({ error });
    return { kind: 'refused', output: toolFailedText(messageOfThrown(error)) };
  }

  async #first(): Promise<Ended> {
    const first = Promise.race(this.#running.values());
    const waiting = new AbortController();
    const soon = await Promise.race([first, this.#turn.parts.clock.sleep(patienceMs, waiting.signal)]);
    // A reason of its own: the default one is an error with a stack.
    waiting.abort('ended');
    if (soon !== undefined) return soon;
    const [ended] = await Promise.all([first, this.#turn.log.durable()]);
    return ended;
  }

  #record({ call, end }: Ended, share: number): void {
    const { turnId, log, sessions } = this.#turn;
    if ('kind' in end && end.kind === 'suspended') return void this.#suspended.add(call.call_id);
    if ('item' in end) {
      const { session: started, item, policy, typed, outside, confined } = end;
      if (started === undefined && !this.#turn.memory.standing.has(item.id)) {
        recordTurnItem(this.#turn, item);
        log.tell({ kind: 'item-completed', turnId, item, ...defined({ outside, confined }) });
      }
      if (started !== undefined && item.kind === 'command') {
        const { envelope } = this.#turn;
        const about = { callId: call.call_id, turnId, item, started, policy, profile: envelope.policy.profile };
        const effects = end.mayWrite ? this.#turn.effects : undefined;
        sessions.adopt({ ...about, effects, forTurn: usesTurnGrants(this.#turn, policy) || undefined, typed });
      }
      recordCallOutput(this.#turn, call, end, share);
      sessions.drop(end.dropped);
      return;
    }
    const item = end.shown ?? commandNotRun(call);
    const patch = item?.kind === 'file-change' || undefined;
    const refused = { tool: call.name, ...defined({ unasked: end.unasked, mcp: mcpCallOf(item), patch }) };
    const record = (): void => recordCallOutput(this.#turn, call, { ...end, refused }, share);
    recordCallDecided(this.#turn, call.call_id, 'lapsed', record);
    const about = { turnId, callId: call.call_id, tool: call.name, ...defined({ item, unasked: end.unasked }) };
    log.tell({ kind: 'call-refused', ...about, reason: end.output });
  }

  async #run(call: CallItem, inOrder: PlaceInQuestionOrder, suspended: SuspendedAsking | undefined): Promise<CallEnd> {
    const { parts } = this.#turn;
    // Await only where needed: lines must be in the order of what happened.
    const preparing = parts.router.prepare(call, this.#step);
    const read = preparing instanceof Promise ? await preparing : preparing;
    if (read.kind === 'refused') return read;
    const hooks = parts.hooks === undefined ? undefined : await import('../hooks/call-hooks.ts');
    const as: CallAfterHooks = { kind: 'prepared', call, prepared: read, ...suspended?.hooked };
    const isAsked = hooks !== undefined && suspended === undefined;
    const hooked = isAsked ? await hooks.runHooksBeforeCall(this.#turn, this.#step, as) : as;
    if (hooked.kind === 'refused') return { ...hooked, shown: read.item };
    const { prepared, note } = hooked;
    const { needs, item } = prepared;
    const wanted = { call: hooked.call, needs, item, inOrder, step: this.#step, hook: hooked.hook };
    const granting =
      suspended === undefined ? grantCall(this.#turn, wanted) : grantSuspended(this.#turn, wanted, suspended);
    const grant = granting instanceof Promise ? await granting : granting;
    if (grant.kind === 'refused') return { ...grant, shown: prepared.item };
    if (grant.kind === 'suspended') return grant;
    inOrder.pass();
    const place = this.#order.begin(prepared.alone === true || isGitOutside(grant));
    if (place.before !== undefined) await place.before;
    const ran = await this.#begin(prepared, { ...wanted, place }, grant).finally(place.leave);
    const isHooked = hooks !== undefined && 'item' in ran;
    const end = isHooked ? await hooks.runHooksAfterCall(this.#turn, wanted.call, ran) : ran;
    return note === undefined || !('item' in end) ? end : { ...end, output: withNote(end.output, note) };
  }

  async #begin(prepared: PreparedCall, wanted: CallInOrder, granted: GrantedCall): Promise<CallEnd> {
    const look = async () => (await readCommandIfNeeded(this.#turn, wanted.needs))?.ground;
    const grant = await this.#confirmed(granted, look, (inOrder) => grantCall(this.#turn, { ...wanted, inOrder }));
    if (grant?.kind === 'refused') return { ...grant, shown: prepared.item };
    if (grant?.kind !== 'granted') return { kind: 'suspended' };
    const end = await this.#performAll(prepared, wanted, grant);
    const said = grant.answer && allowedWithCommentText(grant.answer);
    return said === undefined ? end : { ...end, output: withNote(end.output, said) };
  }

  async #performAll(prepared: PreparedCall, wanted: CallInOrder, grant: GrantedCall): Promise<RanCall> {
    const end = await performCall(this.#turn, wanted, prepared, grant, this.#questions);
    if (grant.where === 'outside') return withConfinementNote(end, grant);
    const { blocked } = end;
    if (blocked === undefined || this.#turn.signal.aborted) return end;
    const retry = (inOrder: PlaceInQuestionOrder) => grantRetry(this.#turn, { ...wanted, inOrder }, blocked);
    const granted = await this.#asking(retry);
    if (granted?.kind !== 'granted' || !isGitOutside(granted))
      return this.#performAgain(prepared, { ...wanted, end, granted, retry });
    wanted.place.leave();
    const place = this.#order.begin(true);
    if (place.before !== undefined) await place.before;
    return this.#performAgain(prepared, { ...wanted, end, granted, retry }).finally(place.leave);
  }

  async #performAgain(prepared: PreparedCall, wanted: CallToRepeat): Promise<RanCall> {
    const { end, granted, retry } = wanted;
    const look = async () => (await readCommandBeforeRetry(this.#turn, wanted)).read?.ground;
    const again = granted?.kind === 'granted' ? await this.#confirmed(granted, look, retry) : granted;
    if (again === undefined || again.kind === 'suspended') return end;
    const outside = describeOutsideRun(this.#turn.envelope.policy.resolved);
    if (again.kind === 'refused')
      return { ...end, output: withNote(end.output, notRunAgainText({ ...again, where: outside })) };
    const second = withConfinementNote(await performCall(this.#turn, wanted, prepared, again, this.#questions), again);
    return { ...second, output: withNote(second.output, ranAgainText({ ...again, where: outside })) };
  }

  #confirmed(granted: GrantedCall, look: Parameters<typeof confirmGrant>[2], grant: AskInTurn) {
    if (granted.ground === undefined) return granted;
    return confirmGrant(this.#turn, granted, look, () => this.#asking(grant));
  }

  async #asking<Granted>(ask: (inOrder: PlaceInQuestionOrder) => Granted | Promise<Granted>): Promise<Granted> {
    const inOrder = this.#questions.next();
    try {
      return await ask(inOrder);
    } finally {
      inOrder.pass();
    }
  }
}

/** The newest call with this id. */
export function findCall(history: ThreadState['history'], callId: string): CallItem | undefined {
  const found = historyEntries(history).findLast(({ item }) => isCall(item) && item.call_id === callId)?.item;
  return found as CallItem | undefined;
}

export const mcpCallOf = (item: TurnItem | undefined): RefusedCallRecord['mcp'] =>
  item?.kind === 'tool-call' && item.server !== undefined ? { server: item.server, tool: item.tool } : undefined;

/** True for git outside the sandbox. No command may change folders while it works there. */
const isGitOutside = ({ leaves, ground }: GrantedCall): boolean =>
  leaves === true && ground?.gitVariables !== undefined;
