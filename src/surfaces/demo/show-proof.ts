import { statSync } from 'node:fs';
import { parseThreadId, type ThreadId } from '../../protocol/ids.ts';
import { createComparison } from '../../replay/compare.ts';
import { rebuildRequests } from '../../replay/rebuild.ts';
import { loadReplayParts } from '../engine/replay-parts.ts';
import { StoredThreads } from '../engine/stored-threads.ts';
import { linkRollout } from './place.ts';
import type { Stage } from './play-turn.ts';
import { kilobytes } from './told.ts';
import { type Trouble, unexpectedTrouble } from './trouble.ts';

/** Holds the thread's file against what the scripted model received. */
export async function showProof({ page, place, model }: Stage, threadId: string): Promise<Trouble | undefined> {
  page.heading('4. The file of the thread gives back every request');
  const id = parseThreadId(threadId);
  const file = id === undefined ? undefined : await readBodies(place.home, id);
  if (file === undefined) return unexpectedTrouble('The thread left no file.');
  const bodies = model.requests.map(({ decodedBytes }) => decodedBytes);
  const pairs = bodies.slice(1).map((body, index) => [bodies[index]!, body] as const);
  const bytes = sum(bodies.map(({ length }) => length));
  const rebuilt = bodies.filter((body, index) => file.bodies[index]?.equals(body)).length;
  const isWhole = rebuilt === bodies.length;
  page.paragraph(
    `${rebuilt} of ${bodies.length} requests rebuilt byte for byte from the file (${kilobytes(bytes)}).`,
    isWhole ? 'good' : 'bad',
  );
  const isExtended = pairs.every(([before, now]) => extendsInput(before, now));
  if (isExtended) {
    const percent = Math.floor((100 * sum(pairs.map(([before, now]) => commonLength(before, now)))) / bytes);
    page.paragraph(
      `Each request's input extends the one before: a provider's cache can serve ${percent}% of the bytes.`,
      'good',
    );
  }
  page.gap();
  page.paragraph(
    `The file is the thread's rollout, ${linkRollout(place, file.path)} (${kilobytes(statSync(file.path).size)}): every ` +
      'message, call, output and setting as a line of JSON. The engine keeps nothing else of a thread. The folder ' +
      'stays, so that you can look around in it.',
  );
  if (!isWhole) return unexpectedTrouble('A request differs from what the file gives back.');
  return isExtended ? undefined : unexpectedTrouble("A request's input does not extend the one before.");
}

/** Reads the rollout of the thread and rebuilds its requests from nothing else. */
async function readBodies(home: string, id: ThreadId) {
  const stored = StoredThreads.in({ CAPSTAN_HOME: home }, home);
  const path = 'code' in stored ? undefined : await stored.location(id);
  if ('code' in stored || path === undefined) return undefined;
  const { lines } = await stored.read(id);
  const { digester, encoderOf } = await loadReplayParts();
  const bodies: Buffer[] = [];
  const verdictOn = createComparison(digester);
  for await (const request of rebuildRequests(lines, encoderOf)) {
    // The record must agree as well: it is all there is when what arrived was not kept.
    const isSame = verdictOn(request).kind === 'same';
    if (request.kind === 'rebuilt' && isSame) bodies.push(Buffer.concat(request.encoded?.body ?? []));
  }
  return { path, bodies };
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
