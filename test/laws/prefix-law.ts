import { expect } from 'vitest';
import { createDigester } from '../../src/adapters/model/request-digester.ts';
import { loadEncoders } from '../../src/adapters/model/provider-for.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import type { PrefixBreak } from '../../src/protocol/thread-event.ts';
import { createRequestComparison } from '../../src/core/replay/compare-requests.ts';
import { rebuildRequests } from '../../src/core/replay/rebuild-requests.ts';
import type { ScriptedModel } from '../../src/testing/index.ts';

/** The requests that a model was sent, in order. */
type Posted = Pick<ScriptedModel, 'requests'>;

interface Rebuilt {
  readonly body: string;
  /** It stands beside the conversation: the next request does not continue from it. */
  readonly auxiliary: boolean;
  /** The breaks of the prefix that the record names for the request. */
  readonly breaks: readonly PrefixBreak[];
}

/** All requests that the file alone gives: what the lines say, not the objects they were made from. */
export async function rebuiltRequests(lines: readonly Line[]): Promise<readonly Rebuilt[]> {
  const stored = lines.map((line) => JSON.parse(JSON.stringify(line)) as Line);
  const rebuilt: Rebuilt[] = [];
  const verdictOn = createRequestComparison(createDigester());
  const encoders = await loadEncoders();
  for await (const request of rebuildRequests(stored, (version) => encoders.get(version))) {
    // If the file holds the digest of a request, the request can be rebuilt from the file.
    expect(verdictOn(request).kind).toMatch(/^(same|not-recorded)$/);
    if (request.kind === 'inferred') continue;
    const prefix = request.line.payload['prefix'] as { readonly breaks?: readonly PrefixBreak[] } | undefined;
    const body = Buffer.concat(request.encoded!.body).toString('utf8');
    rebuilt.push({ body, auxiliary: request.record.auxiliary !== undefined, breaks: prefix?.breaks ?? [] });
  }
  return rebuilt;
}

/** Law: every request that was posted is rebuilt byte for byte from the file alone. */
export async function checkRebuilt(model: Posted, lines: readonly Line[]): Promise<void> {
  const rebuilt = (await rebuiltRequests(lines)).map(({ body }) => body);
  let at = 0;
  for (const posted of bodies(model)) {
    const found = rebuilt.indexOf(posted, at);
    expect(found, `a request that the file does not give back:\n${posted}`).toBeGreaterThanOrEqual(0);
    at = found;
  }
}

/**
 * Law: the encoded input of a request extends that of the request before it, under the same instructions, tools and
 * options, save where the record declares what it breaks. A request beside the conversation extends it, too, and is no
 * part of it.
 */
export async function checkPrefixes(model: Posted, lines: readonly Line[]): Promise<void> {
  const rebuilt = await rebuiltRequests(lines);
  let before: JsonObject | undefined;
  let [at, newest] = [-1, -1];
  for (const posted of bodies(model)) {
    const found = rebuilt.findIndex(({ body }, index) => index >= Math.max(0, at) && body === posted);
    const now = JSON.parse(posted) as JsonObject;
    expect(posted).toContain(`"input":${JSON.stringify(now['input'])},"stream":`);
    // Requests that were recorded and never posted stand between: what they break, this one breaks.
    const between = rebuilt.slice(newest + 1, found).filter(({ auxiliary }) => !auxiliary);
    const declared = [...between, ...(found === newest ? [] : [rebuilt[found]!])].flatMap(({ breaks }) => breaks);
    if (before !== undefined) checkPair(before, now, { declared, exact: found !== newest && between.length === 0 });
    at = found;
    if (rebuilt[found]!.auxiliary) continue;
    before = now;
    newest = found;
  }
}

interface Declared {
  readonly declared: readonly PrefixBreak[];
  /** There is no request between the two, so nothing may be declared that is not so. */
  readonly exact: boolean;
}

function checkPair(before: JsonObject, now: JsonObject, { declared, exact }: Declared): void {
  const kinds = new Set<string>(declared.map(({ kind }) => kind));
  const replaced = kinds.has('checkpoint') || kinds.has('rollback') || kinds.has('reopened');
  for (const [key, kind] of [
    ['instructions', 'instructions'],
    ['tools', 'tools'],
    ['input', 'entry'],
  ] as const) {
    const goesOn =
      key === 'input'
        ? JSON.stringify(now['input']).startsWith(JSON.stringify(before['input']).slice(0, -1))
        : JSON.stringify(now[key]) === JSON.stringify(before[key]);
    if (!replaced && !kinds.has(kind)) expect(goesOn, `${key} broke, and the record does not say so`).toBe(true);
    if (exact && kinds.has(kind)) expect(goesOn, `${key} did not break, and the record says so`).toBe(false);
  }
  if (replaced) return;
  const names = new Set(declared.flatMap((each) => (each.kind === 'setting' ? [each.name] : [])));
  const kept = declared.flatMap((each) => (each.kind === 'entry' ? [each.index] : []));
  const [old, young] = [before, now].map(({ input }) => (input as readonly JsonObject[]).slice(0, Math.min(...kept)));
  expect(young!.slice(0, old!.length)).toEqual(old);
  for (const [name, key] of settings) {
    if (!names.has(name)) expect(now[key], `the option ${key}`).toEqual(before[key]);
  }
}

/** Names of options, and the keys of a body that hold them. */
const settings = [
  ['model', 'model'],
  ['effort', 'reasoning'],
  ['serviceTier', 'service_tier'],
] as const;

function bodies(model: Posted): readonly string[] {
  return model.requests.map(({ bytes }) => bytes.toString('utf8'));
}
