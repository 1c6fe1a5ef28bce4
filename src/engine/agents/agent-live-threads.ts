import type { SettingsChange } from '../../core/envelope/settings-change.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { ThreadCut } from '../../protocol/thread.ts';
import type { UserInput } from '../../protocol/user-input.ts';
import type { EngineRefused } from '../engine-refused.ts';
import type { LiveRequest, LiveThread, LiveThreads } from '../live/live-thread-types.ts';
import type { TurnResult } from '../thread/turn/settle-turn.ts';

export interface AgentLiveThreads extends Pick<LiveThreads, 'knows'> {
  start(request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
  load(id: ThreadId, request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
  fork(id: ThreadId, cut: ThreadCut, request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
}

export type AgentLiveRequest = LiveRequest & { readonly cwd: string };

export interface AgentLiveThread extends Pick<
  LiveThread,
  'kind' | 'settings' | 'notices' | 'questions' | 'leave' | 'cost'
> {
  submit(turn: { readonly input: UserInput; readonly change?: SettingsChange }): Promise<TurnResult | EngineRefused>;
  steer(steering: { readonly input: UserInput }): Promise<{ readonly kind: 'steered' | 'refused' }>;
  interrupt(reason: unknown): Promise<unknown>;
}
