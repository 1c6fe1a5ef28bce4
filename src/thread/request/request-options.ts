import type { ThreadId } from '../../protocol/ids.ts';
import type { Identity } from '../../envelope/identity.ts';
import type { Envelope } from '../../envelope/envelope.ts';
import { sentEffort } from '../../envelope/effort.ts';
import type { RequestOptions } from '../../ports/prompt.ts';
import { defined } from '../../protocol/defined.ts';
import type { Turn } from '../parts/parts.ts';

/** What a request under this envelope says besides instructions, tools and input. */
export function requestOptions({ threadId, turnId }: Turn, { identity, modes }: Envelope): RequestOptions {
  const { outputSchema, cyberAccessProgram } = modes;
  return {
    model: identity.model.slug,
    ...(identity.effort === undefined ? {} : { effort: sentEffort(identity.model, identity.effort) }),
    ...(identity.summary === undefined || identity.summary === 'none' ? {} : { summary: identity.summary }),
    ...defined({ verbosity: identity.verbosity, serviceTier: identity.serviceTier, outputSchema, cyberAccessProgram }),
    ...identity.sampling,
    ...defined({ maxOutputTokens: identity.model.maxOutputTokens }),
    parallelToolCalls: identity.model.parallelCalls ?? true,
    cacheKey: threadId,
    labels: { session_id: threadId, thread_id: threadId, turn_id: turnId },
  };
}

/** Names of the thread and of the program, for the provider's logs. */
export function requestHeaders(threadId: ThreadId, client: Identity['client']): Readonly<Record<string, string>> {
  return {
    'session-id': threadId,
    'thread-id': threadId,
    'x-client-request-id': threadId,
    originator: client.name,
    'user-agent': `${client.name}/${client.version}`,
  };
}
