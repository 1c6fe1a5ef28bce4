import type { SettingsChange } from '../../core/envelope/settings-change.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Question } from '../../protocol/question.ts';
import type { ThreadCut } from '../../protocol/thread.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { UserInput } from '../../protocol/user-input.ts';
import type { TurnResult } from '../thread/turn/settle-turn.ts';
import type { EngineRefused } from '../engine-refused.ts';
import type { ThreadRequest } from '../thread-request.ts';

/** As much of the live threads of an engine as agents need. */
export interface AgentLiveThreads {
  knows(id: string): boolean;
  start(request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
  load(id: ThreadId, request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
  fork(id: ThreadId, cut: ThreadCut, request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
}

export interface AgentLiveRequest extends ThreadRequest {
  readonly cwd: string;
  /** No client answers: what would be asked is refused. */
  readonly unattended?: true;
}

export interface AgentLiveThread {
  readonly kind: 'live';
  readonly settings: Settings;
  /** What the user should know of how it was opened. */
  readonly notices: readonly Outcome[];
  readonly questions: readonly Question[];
  submit(turn: { readonly input: UserInput; readonly change?: SettingsChange }): Promise<TurnResult | EngineRefused>;
  steer(steering: { readonly input: UserInput }): Promise<{ readonly kind: 'steered' | 'refused' }>;
  /** `reason`: who interrupts it. */
  interrupt(reason: unknown): Promise<unknown>;
  leave(): Promise<void>;
  /** By itself: a fork counts what it took over. */
  readonly cost: Usage;
}
