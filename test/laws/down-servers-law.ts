import { expect } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { partsOf, readWorld } from './world-reader.ts';

interface ServersNow {
  /** Those of the process that sends the request. */
  readonly configured: readonly string[];
  /** Starts of each server. */
  readonly starts: ReadonlyMap<string, number>;
}

/** Which servers do not run, as a reader of a request knows. */
export function downServers(body: JsonObject): readonly string[] {
  const text = readWorld(partsOf(body['input'])).mcpServers ?? '';
  return [...text.matchAll(/^- The MCP server &quot;(\w)&quot; did not start(?: in an earlier run)?: /gm)]
    .map(([, name]) => name!)
    .toSorted();
}

/** For each server that the model knows as down: its starts before the model first read so. */
export type DownServers = ReadonlyMap<string, number>;

/** Law: what the model reads as down stays so in every later request, until the server was started again. */
export function checkDown(before: DownServers, body: JsonObject, { configured, starts }: ServersNow): DownServers {
  const down = downServers(body);
  for (const [name, known] of before) {
    if (!configured.includes(name) || down.includes(name)) continue;
    expect(starts.get(name) ?? 0, `${name} was not started, and is no longer down`).toBeGreaterThan(known);
  }
  return new Map(down.map((name) => [name, before.get(name) ?? starts.get(name) ?? 0]));
}
