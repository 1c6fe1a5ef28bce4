import { statSync } from 'node:fs';
import type { ThreadId } from '../../protocol/ids.ts';
import { createComparison } from '../../replay/compare.ts';
import { rebuildRequests } from '../../replay/rebuild.ts';
import type { RecordedRequest } from '../../testing/index.ts';
import { loadReplayParts } from '../engine/replay-parts.ts';
import { StoredThreads } from '../engine/stored-threads.ts';

/** How the file of a thread compares with what really went over the wire. */
export interface Proof {
  readonly path: string;
  readonly fileBytes: number;
  /** Requests that arrived. */
  readonly requests: number;
  readonly requestBytes: number;
  /** Requests that the file gives back byte for byte. */
  readonly rebuilt: number;
  /** Whether the input of every request begins with the whole input of the one before. */
  readonly extends: boolean;
  /** Bytes at the beginning of a request that stood there in the one before, too. */
  readonly repeatedBytes: number;
}

/** Reads the rollout of the thread and rebuilds its requests from nothing else. */
export async function proveFromFile(
  home: string,
  id: ThreadId,
  arrived: readonly RecordedRequest[],
): Promise<Proof | undefined> {
  const stored = StoredThreads.in({ CAPSTAN_HOME: home }, home);
  const path = 'code' in stored ? undefined : await stored.location(id);
  if ('code' in stored || path === undefined) return undefined;
  const { lines } = await stored.read(id);
  const { digester, encoderOf } = await loadReplayParts();
  const rebuilt: Buffer[] = [];
  const verdictOn = createComparison(digester);
  for await (const request of rebuildRequests(lines, encoderOf)) {
    // The record must agree as well: it is all there is when what arrived was not kept.
    const isSame = verdictOn(request).kind === 'same';
    if (request.kind === 'rebuilt' && isSame) rebuilt.push(Buffer.concat(request.encoded?.body ?? []));
  }
  const bodies = arrived.map(({ decodedBytes }) => decodedBytes);
  return {
    path,
    fileBytes: statSync(path).size,
    requests: bodies.length,
    requestBytes: sum(bodies.map(({ length }) => length)),
    rebuilt: bodies.filter((body, index) => rebuilt[index]?.equals(body)).length,
    extends: bodies.every((body, index) => index === 0 || extendsInput(bodies[index - 1]!, body)),
    repeatedBytes: sum(bodies.map((body, index) => (index === 0 ? 0 : commonLength(bodies[index - 1]!, body)))),
  };
}

const inputStart = '"input":[';
const inputEnd = '],"stream":';

/** Compares bytes: up to the bracket that closes it, the earlier input is the beginning of the later one. */
function extendsInput(before: Buffer, now: Buffer): boolean {
  const [earlier, later] = [inputIn(before), inputIn(now)];
  return earlier.length > 0 && commonLength(earlier, later) === earlier.length;
}

/** Tools stand before the input, and change with the policy. */
function inputIn(body: Buffer): Buffer {
  const start = body.indexOf(inputStart);
  return body.subarray(start, start < 0 ? start : body.lastIndexOf(inputEnd));
}

function commonLength(one: Buffer, other: Buffer): number {
  const most = Math.min(one.length, other.length);
  for (let at = 0; at < most; at++) if (one[at] !== other[at]) return at;
  return most;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
