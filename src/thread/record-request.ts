import type { Envelope } from '../envelope/envelope.ts';
import { providerOfTurn } from '../envelope/provider-of.ts';
import { sentEffort } from '../envelope/sent-effort.ts';
import type { Step } from '../envelope/step.ts';
import type { Prompt, RequestOptions } from '../ports/prompt.ts';
import { planRequest, promptFor } from '../state/request.ts';
import { sentLine, type SentRequestParts } from '../state/request-sent.ts';
import type { Turn } from './parts.ts';

/** Records what the request will hold, says what it breaks, and gives it. */
export function recordRequest(turn: Turn, step: Step): Prompt {
  const { parts, log, turnId, envelope } = turn;
  const { record, drafts, prefix } = planRequest(
    log.state,
    {
      turnId,
      step: step.index,
      encoder: parts.provider.encoder.version,
      modalities: envelope.capabilities.modalities,
      options: requestOptions(turn, envelope),
      provider: providerOfTurn(envelope),
    },
    step.tools,
  );
  log.record(...drafts);
  if (prefix !== undefined && prefix.breaks.length > 0) {
    const { kept, breaks } = prefix;
    log.tell({ kind: 'prefix-broken', turnId, step: step.index, keptTokens: kept.tokens ?? 0, breaks });
  }
  return promptFor(log.state, record);
}

/** What a request under this envelope says besides instructions, tools and input. */
export function requestOptions({ threadId, turnId }: Turn, { identity, modes }: Envelope): RequestOptions {
  const { outputSchema, cyberAccessProgram } = modes;
  return {
    model: identity.model.slug,
    ...(identity.effort === undefined ? {} : { effort: sentEffort(identity.model, identity.effort) }),
    ...(identity.summary === undefined || identity.summary === 'none' ? {} : { summary: identity.summary }),
    ...(identity.verbosity === undefined ? {} : { verbosity: identity.verbosity }),
    ...(identity.serviceTier === undefined ? {} : { serviceTier: identity.serviceTier }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(cyberAccessProgram === undefined ? {} : { cyberAccessProgram }),
    parallelToolCalls: true,
    cacheKey: threadId,
    labels: { session_id: threadId, thread_id: threadId, turn_id: turnId },
  };
}

/** Records the digest of a request once it has left: the model thinks meanwhile. The next sync takes the line along. */
export function sentRecorder({ parts, log }: Turn, request: SentRequestParts) {
  let isDone = false;
  return {
    record(): void {
      if (!isDone)
        log.record(sentLine(log.state, request, { encoder: parts.provider.encoder, digester: parts.digester }));
      isDone = true;
    },
    /** The request is over. A connection that says later what became of it has nobody to say it to. */
    end(): void {
      isDone = true;
    },
  };
}
