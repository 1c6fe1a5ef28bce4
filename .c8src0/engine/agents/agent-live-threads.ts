import type { ThreadId } from '../../protocol/ids.ts';
import type { ThreadCut } from '../../protocol/thread.ts';
import type { EngineRefused } from '../engine-refused.ts';
import type { LiveRequest, LiveThread, LiveThreads } from '../live/live-thread-types.ts';

export interface AgentLiveThreads extends Pick<LiveThreads, 'knows'> {
  start(request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
  load(id: ThreadId, request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
  fork(id: ThreadId, cut: ThreadCut, request: AgentLiveRequest): Promise<AgentLiveThread | EngineRefused>;
}

export type AgentLiveRequest = LiveRequest & { readonly cwd: string };
type Used = 'kind' | 'settings' | 'notices' | 'questions' | 'submit' | 'steer' | 'leave' | 'cost';
export type AgentLiveThread = Pick<LiveThread, Used> & { interrupt(reason: unknown): Promise<unknown> };
