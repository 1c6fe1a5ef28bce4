import type { Envelope } from '../../envelope/envelope.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { agentMeta } from '../../state/agents.ts';
import type { ThreadParts } from '../parts/parts.ts';

/** Commit, branch and remote of the workspace, as far as its policy lets them be read. Undefined: it is no repository. */
export type GitFactsOf = (envelope: Envelope) => JsonObject | undefined;

export interface SessionMetaInput {
  readonly id: ThreadId;
  readonly windowId: string;
  readonly envelope: Envelope;
  readonly gitFacts: GitFactsOf;
  readonly parts: Pick<ThreadParts, 'agent' | 'memoryMode'>;
}

/** The first line of a rollout: who this thread is and what it was started with. */
export function sessionMeta({ id, windowId, envelope, gitFacts, parts }: SessionMetaInput): JsonObject {
  const { agent, memoryMode } = parts;
  const { identity, workspace, instructions, telemetry } = envelope;
  return {
    session_id: id,
    id,
    timestamp: new Date(telemetry.startedAt).toISOString(),
    cwd: workspace.cwd,
    originator: identity.client.name,
    cli_version: identity.client.version,
    source: identity.sessionSource,
    thread_source: identity.threadSource,
    model_provider: identity.provider,
    base_instructions: { text: instructions.base.text, provenance: instructions.base.provenance },
    history_mode: 'paginated',
    context_window: { window_id: windowId },
    ...defined({ git: gitFacts(envelope), memory_mode: memoryMode }),
    ...(agent && agentMeta(agent)),
  };
}
