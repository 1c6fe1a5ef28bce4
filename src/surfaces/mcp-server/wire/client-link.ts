import { randomUUID } from 'node:crypto';
import { Outbox } from './outbox.ts';

/** A connection to a client, or the one request of a client without connections. */
export interface ClientLink {
  readonly id: string;
  /** False: it ends with the request. */
  readonly stays: boolean;
  readonly gone: AbortSignal;
  readonly outbox: Outbox;
  /** Resolves when the client takes more, where the transport does not say so itself. */
  readonly taken?: () => Promise<void>;
  end(): void;
}

export function createLink({ stays, taken }: { readonly stays: boolean; taken?(): Promise<void> }): ClientLink {
  const gone = new AbortController();
  const outbox = new Outbox();
  return {
    id: randomUUID(),
    stays,
    gone: gone.signal,
    outbox,
    ...(taken === undefined ? {} : { taken }),
    end(): void {
      gone.abort();
      outbox.close();
    },
  };
}
