import { createDigester } from '../../model/digester.ts';
import { loadEncoders } from '../../model/provider-for.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import type { Line } from '../../protocol/line.ts';
import { createComparison } from '../../replay/compare.ts';
import { rebuildRequests } from '../../replay/rebuild.ts';
import { findRollouts } from '../../rollout/find-rollout.ts';
import { nodeFiles } from '../../rollout/node-files.ts';
import { read } from '../../rollout/read.ts';
import type { RecordedRequest } from '../../testing/index.ts';

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
  const path = (await findRollouts(nodeFiles, home, id)).rollouts[0]?.path;
  if (path === undefined) return undefined;
  const { lines, fileBytes } = await loadLines(path);
  const encoders = await loadEncoders();
  const rebuilt: Buffer[] = [];
  const verdictOn = createComparison(createDigester());
  for await (const request of rebuildRequests(lines, (version) => encoders.get(version))) {
    // The record must agree as well: it is what there is to go by when nobody has kept what arrived.
    const isSame = verdictOn(request).kind === 'same';
    if (request.kind === 'rebuilt' && isSame) rebuilt.push(Buffer.concat(request.encoded?.body ?? []));
  }
  const bodies = arrived.map(({ decodedBytes }) => decodedBytes);
  return {
    path,
    fileBytes,
    requests: bodies.length,
    requestBytes: sum(bodies.map(({ length }) => length)),
    rebuilt: bodies.filter((body, index) => rebuilt[index]?.equals(body)).length,
    extends: bodies.every((body, index) => index === 0 || extendsInput(bodies[index - 1]!, body)),
    repeatedBytes: sum(bodies.map((body, index) => (index === 0 ? 0 : commonLength(bodies[index - 1]!, body)))),
  };
}

async function loadLines(path: string): Promise<{ lines: readonly Line[]; fileBytes: number }> {
  const file = await nodeFiles.open(path, { create: false, mode: 0o600 });
  try {
    return { lines: await Array.fromAsync(read(file, { from: 0 as Ordinal })), fileBytes: await file.size() };
  } finally {
    await file.close();
  }
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
