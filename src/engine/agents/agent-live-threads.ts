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

export interface AgentLiveThreads {
  knows(id: string): boolean;
  start(request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
  load(id: ThreadId, request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
  fork(id: ThreadId, cut: ThreadCut, request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
}

export interface AgentLiveRequest extends ThreadRequest {
  readonly cwd: string;
  /** No client answers questions; they are refused. */
  readonly unattended?: true;
}

export interface AgentLiveThread {
  readonly kind: 'live';
  readonly settings: Settings;
  /** Notices for the user from opening the thread. */
  readonly notices: readonly Outcome[];
  readonly questions: readonly Question[];
  submit(turn: { readonly input: UserInput; readonly change?: SettingsChange }): Promise<TurnResult | EngineRefused>;
  steer(steering: { readonly input: UserInput }): Promise<{ readonly kind: 'steered' | 'refused' }>;
  interrupt(reason: unknown): Promise<unknown>;
  leave(): Promise<void>;
  /** Cost of this thread alone, without what a fork inherited. */
  readonly cost: Usage;
}
