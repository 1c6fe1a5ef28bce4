import type { Outcome } from '../../../protocol/outcome.ts';
import type { UserInput } from '../../../protocol/user-input.ts';
import { engineRefused } from '../../engine/engine-refused.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';
import type { Draft } from '../composer/draft.ts';
import type { TuiStage } from './stage.ts';
import type { PendingSteer, WaitingMessages } from './waiting-messages.ts';

export interface SteeredWordsParts {
  readonly stage: TuiStage;
  readonly waiting: WaitingMessages;
  thread(): LiveThread;
  /** What a draft says to the engine, or why it cannot be sent as it is. */
  inputOf(draft: Draft): Promise<UserInput | Outcome>;
  /** Shows why something was refused. */
  told(result: { readonly kind: string; readonly outcome?: Outcome }): void;
  /** Others wait than before. */
  changed(): void;
}

/** Words for the turn that runs. They wait for its next request. */
export class SteeredWords {
  readonly #parts: SteeredWordsParts;

  constructor(parts: SteeredWordsParts) {
    this.#parts = parts;
  }

  /** `no-turn`: the turn has ended meanwhile, or takes no words. Otherwise they are taken, or in the composer again. */
  async steer(draft: Draft): Promise<'done' | 'no-turn'> {
    const { stage, waiting, told, changed } = this.#parts;
    const steering = this.#offer(draft);
    const accepted = steering.then(
      (steered) => (steered.kind === 'steered' ? steered.messageId : undefined),
      () => undefined,
    );
    const steer: PendingSteer = { draft, accepted };
    waiting.steer(steer);
    changed();
    const steered = await steering;
    if (steered.kind !== 'refused') return 'done';
    waiting.dropSteer(steer);
    changed();
    if (steered.outcome.code === 'no-active-turn') return 'no-turn';
    told(steered);
    stage.composer.giveBack(draft);
    return 'done';
  }

  /** The steers that the engine gives back. Those that it does not have entered the conversation. */
  async takeBack(): Promise<readonly Draft[]> {
    const { waiting, thread, changed } = this.#parts;
    const { steers } = waiting;
    if (steers.length === 0) return [];
    const known = await Promise.all(steers.map(async (steer) => ({ steer, id: await steer.accepted })));
    const taken = await thread().withdraw(known.flatMap(({ id }) => id ?? []));
    const back = known.filter(({ id }) => id !== undefined && taken.includes(id));
    for (const { steer } of known) waiting.dropSteer(steer);
    changed();
    return back.map(({ steer }) => steer.draft);
  }

  async #offer(draft: Draft): ReturnType<LiveThread['steer']> {
    const { thread, inputOf } = this.#parts;
    const input = await inputOf(draft);
    return 'code' in input ? engineRefused(input) : thread().steer({ input });
  }
}
