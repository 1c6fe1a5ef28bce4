import type { Client } from '@modelcontextprotocol/client';
import { arrayAt, isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import { anyObject } from './any-object.ts';

interface ListOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
}

export interface AllTools {
  readonly tools: readonly JsonObject[];
  /** Names of those that are left out, as far as they have one. */
  readonly malformed: readonly string[];
}

/** A list that does not end is none. */
export const mostPages = 16;

/** Whoever configured the server cannot mend that. */
export class EndlessList extends Error {
  readonly next = 'Report this to the maker of the server, or set its enabled to false.';

  constructor(options: ErrorOptions) {
    super(`its list of tools does not end after ${mostPages} pages`, options);
  }
}

/** Every page of a server's tools. The library refuses a list with one malformed tool: then it is read again without it. */
export async function listAllTools(client: Client, options: ListOptions): Promise<AllTools> {
  try {
    const { tools } = await client.listTools(undefined, { ...options, cacheMode: 'refresh' });
    return { tools: tools as unknown as readonly JsonObject[], malformed: [] };
  } catch (error) {
    if (isEndless(error)) throw new EndlessList({ cause: error });
    const read = options.signal.aborted ? undefined : await readPages(client, options).catch(() => undefined);
    if (read === undefined) throw error;
    const tools = read.flatMap((tool) => (isTool(tool) ? [tool] : []));
    // Nothing is malformed: something else is wrong.
    if (tools.length === read.length) throw error;
    return { tools, malformed: read.flatMap((tool, at) => (isTool(tool) ? [] : [nameOf(tool, at)])) };
  }
}

function isEndless(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'LIST_PAGINATION_EXCEEDED';
}

async function readPages(client: Client, options: ListOptions): Promise<readonly Json[] | undefined> {
  const found: Json[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await client.request({ method: 'tools/list', params }, anyObject, options);
    const tools = arrayAt(answer, 'tools');
    if (tools === undefined) return undefined;
    found.push(...tools);
    cursor = stringAt(answer, 'nextCursor');
    if (cursor === undefined) return found;
  }
  return undefined;
}

function isTool(value: Json): value is JsonObject {
  if (!isJsonObject(value)) return false;
  const { name, description, annotations } = value;
  const isDescribed = description === undefined || typeof description === 'string';
  const isAnnotated = annotations === undefined || isJsonObject(annotations);
  return (
    typeof name === 'string' && isDescribed && isAnnotated && objectAt(value, 'inputSchema')?.['type'] === 'object'
  );
}

function nameOf(value: Json, at: number): string {
  return (isJsonObject(value) ? stringAt(value, 'name') : undefined) ?? `number ${at + 1}`;
}
