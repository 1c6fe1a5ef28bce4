import { isGateOpen } from '../../../config/feature-gates.ts';
import type { Goal } from '../../../protocol/goal.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';

const longestTitle = 200;

/** What is known of a conversation beside its settings. What git says is read when a turn ends, and never for a frame. */
export class SessionFacts {
  #repository: string | undefined;
  #branch: string | undefined;
  #name: string | undefined;
  #firstWords: string | undefined;
  #tasks: { readonly done: number; readonly all: number } | undefined;
  #goal: Goal | undefined;

  get repository(): string | undefined {
    return this.#repository;
  }
  get branch(): string | undefined {
    return this.#branch;
  }
  get name(): string | undefined {
    return this.#name;
  }
  get firstWords(): string | undefined {
    return this.#firstWords;
  }
  get tasks(): { readonly done: number; readonly all: number } | undefined {
    return this.#tasks;
  }

  get goal(): Goal | undefined {
    return this.#goal;
  }

  /** Another conversation takes its place. */
  clear(): void {
    this.#name = undefined;
    this.#firstWords = undefined;
    this.#tasks = undefined;
    this.#goal = undefined;
  }

  observe(event: ThreadEvent): void {
    if (event.kind === 'context' && event.cause === 'user' && event.author === undefined)
      this.#firstWords ??= event.text.slice(0, longestTitle);
    if (event.kind === 'turn-started' && event.isContinued !== true) this.#tasks = undefined;
    // A plan that is done says nothing once its turn is over.
    if (isTurnEnd(event) && this.#tasks?.done === this.#tasks?.all) this.#tasks = undefined;
    const item = 'item' in event ? event.item : undefined;
    if (item?.kind !== 'plan') return;
    this.#tasks = { done: item.steps.filter(({ status }) => status === 'completed').length, all: item.steps.length };
  }

  /** Git's files, and the name and the goal of the thread, as they are now. */
  async refresh(engine: Engine, { id, place, settings }: LiveThread): Promise<void> {
    const folder = engine.lookAtFolder(settings.cwd);
    this.#repository = 'code' in folder ? undefined : folder.repository;
    this.#branch = engine.branchAt(settings.cwd);
    if (place === undefined) return;
    const summary = await engine.stored.summary(id);
    if (!('code' in summary)) this.#name = summary.name;
    if (isGateOpen('goals', settings.features)) this.#goal = await engine.stored.goal(id);
  }
}

function isTurnEnd({ kind }: ThreadEvent): boolean {
  return kind === 'turn-completed' || kind === 'turn-failed' || kind === 'turn-aborted' || kind === 'turn-suspended';
}
