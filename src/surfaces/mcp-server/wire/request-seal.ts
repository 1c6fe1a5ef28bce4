import { createHash, randomBytes } from 'node:crypto';
import {
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  createRequestStateCodec,
} from '@modelcontextprotocol/server';
import { type JsonObject, sortedJson } from '../../../protocol/json.ts';
import type { ServerApp } from '../offer/server-app.ts';

/** The schema of a form; null for another request. */
export type AskedKeys = Readonly<Record<string, JsonObject | null>>;

/** What a call that waits for its user gives the client to keep, since the server keeps nothing. */
export interface SealedCall {
  /** The method, the name and the arguments that it was made for. */
  readonly call: string;
  readonly state: JsonObject;
  /** What was asked, by key: an answer to anything else does not count. */
  readonly asked: AskedKeys;
}

/** People answer when they come back to the screen. */
const ttlSeconds = 24 * 60 * 60;

/** Where an app has no secret: what another process sealed is refused. */
const processKey = randomBytes(32);

export interface RequestSeal {
  close(sealed: SealedCall): Promise<string>;
  /** For the SDK, which calls it before a handler. Throws on anything that was not sealed with the same secret. */
  open(state: string, context: ServerContext): Promise<SealedCall>;
}

/** With a secret that outlives the process, an answer still counts when the server was started again meanwhile. */
export function createRequestSeal({ callSecret }: Pick<ServerApp, 'callSecret'>): RequestSeal {
  // The secret is asked for on use: a server that never asks its user needs none.
  let made: ReturnType<typeof createRequestStateCodec<SealedCall>> | undefined;
  const codec = () => (made ??= createRequestStateCodec<SealedCall>({ key: keyOf(callSecret?.()), ttlSeconds }));
  return {
    close: (sealed) => codec().mint(sealed),
    open: (state, context) => codec().verify(state, context),
  };
}

function keyOf(secret: string | undefined): Uint8Array {
  return secret === undefined ? processKey : createHash('sha256').update(secret).digest();
}

/** What was sealed for this call and no other. */
export function sealedFor(call: string, context: ServerContext): SealedCall | undefined {
  const sealed = context.mcpReq.requestState<SealedCall>();
  if (sealed === undefined || sealed.call === call) return sealed;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This requestState belongs to another call.');
}

/** The same text for the same call, in whatever order a client writes its arguments. */
export function callDigest(method: string, name: string, args: JsonObject): string {
  return createHash('sha256')
    .update(sortedJson([method, name, args]))
    .digest('base64url');
}
