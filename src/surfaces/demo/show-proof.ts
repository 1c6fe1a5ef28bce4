import { createComparison } from '../../replay/compare.ts';
import { rebuildRequests } from '../../replay/rebuild.ts';
import { loadReplayParts } from '../engine/replay-parts.ts';
import { StoredThreads } from '../engine/stored-threads.ts';
import type { Stage } from './play-turn.ts';
import { type Trouble, unexpectedTrouble } from './trouble.ts';

/** Compares what the thread's file gives back with what the scripted model received. */
export async function showProof({ page, place, model }: Stage): Promise<Trouble | undefined> {
  page.heading("4. Rebuild every request from the thread's file");
  const file = await readBodies(place.home);
  if (file === undefined) return unexpectedTrouble('The thread left no file.');
  const bodies = model.requests.map(({ decodedBytes }) => decodedBytes);
  const pairs = bodies.slice(1).map((body, index) => [bodies[index]!, body] as const);
  const bytes = sum(bodies.map(({ length }) => length));
  const rebuilt = bodies.filter((body, index) => file[index]?.equals(body)).length;
  const isWhole = rebuilt === bodies.length;
  page.paragraph(
    `${rebuilt} of ${bodies.length} requests rebuilt byte for byte (${Math.round(bytes / 1024)} KB).`,
    isWhole ? 'green' : 'red',
  );
  if (!isWhole) return unexpectedTrouble('A request differs from what the file gives back.');
  if (!pairs.every(([before, now]) => extendsInput(before, now))) {
    return unexpectedTrouble("A request's input does not extend the one before.");
  }
  const percent = Math.floor((100 * sum(pairs.map(([before, now]) => commonLength(before, now)))) / bytes);
  page.paragraph(`Each request extends the one before, so a provider can cache ${percent}% of the bytes.`, 'green');
  return undefined;
}

/** Reads the rollout of the thread and rebuilds its requests from nothing else. */
async function readBodies(home: string): Promise<readonly Buffer[] | undefined> {
  const stored = StoredThreads.in({ CAPSTAN_HOME: home }, home);
  const chosen = 'code' in stored ? undefined : await stored.choose({ kind: 'last' });
  if ('code' in stored || chosen?.kind !== 'chosen') return undefined;
  const { lines } = await stored.read(chosen.id);
  const { digester, encoderOf } = await loadReplayParts();
  const bodies: Buffer[] = [];
  const verdictOn = createComparison(digester);
  for await (const request of rebuildRequests(lines, encoderOf)) {
    // The record must agree as well: it is all there is when what arrived was not kept.
    const isSame = verdictOn(request).kind === 'same';
    if (request.kind === 'rebuilt' && isSame) bodies.push(Buffer.concat(request.encoded?.body ?? []));
  }
  return bodies;
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
