import type { JsonObject } from '../../../protocol/json.ts';
import type { ClientPort } from '../offer/server-tool.ts';
import type { ClientLink } from './client-link.ts';

/** A client as its subscriptions know it: it is sent events, each at its pace, and asked nothing. */
export function followerPort(
  { id, gone, outbox }: Pick<ClientLink, 'id' | 'gone' | 'outbox'>,
  send: (event: { readonly method: string; readonly params: JsonObject }) => Promise<unknown>,
): ClientPort {
  return {
    id,
    canAsk: false,
    stays: true,
    gone,
    ready: () => outbox.ready(),
    notify: (method, params) => outbox.post({ method, params, send }),
  };
}
