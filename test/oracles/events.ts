import { isJsonObject, type Json, type JsonObject } from '../../src/protocol/json.ts';
import type { Script } from '../../src/testing/index.ts';
import type { Finished } from '../harness/run-capstan.ts';
import { runCodex } from './codex.ts';
import { runCapstan, scene } from './scene.ts';

/** The output of a program for one script. */
export interface Show {
  readonly code: number | null;
  readonly requests: number;
  readonly events: readonly JsonObject[];
}

export interface SideBySide {
  readonly codex: Show;
  readonly capstan: Show;
}

/** Runs the same script and prompt with both programs, each in a place of its own. */
export async function sideBySide(script: Script): Promise<SideBySide> {
  const [theirs, ours] = await Promise.all([scene(script), scene(script)]);
  const [codex, capstan] = await Promise.all([runCodex(theirs.place, 'go'), runCapstan(ours.place, 'go')]);
  return {
    codex: shown(codex, theirs.model.requests.length),
    capstan: shown(capstan, ours.model.requests.length),
  };
}

function shown({ code, events }: Finished, requests: number): Show {
  return { code, requests, events };
}

/** Values that differ on purpose, by the key they stand under. All other values must be equal. */
const onPurpose: Readonly<Record<string, { readonly why: string; readonly same: (value: string) => string }>> = {
  thread_id: { why: 'each thread has its own id', same: () => '(id)' },
  message: { why: 'what went wrong is said in our own words', same: () => '(words)' },
  command: {
    why: 'the shell is no login shell: the login environment is captured once and given to every command',
    same: (command) => command.replace(/^(\S+) -l?c /, '$1 -c '),
  },
};

/** The show without what differs on purpose. */
export function comparable(show: Show): Show {
  return { ...show, events: show.events.map((event) => masked(event) as JsonObject) };
}

function masked(value: Json): Json {
  if (Array.isArray(value)) return value.map((member) => masked(member as Json));
  if (!isJsonObject(value)) return value;
  // Codex leaves out counts that no provider reported.
  const shared = Object.entries(value).filter(([key]) => key !== 'estimated_tokens');
  const members = shared.map(([key, member]) => {
    const rule = onPurpose[key];
    return [key, rule !== undefined && typeof member === 'string' ? rule.same(member) : masked(member as Json)];
  });
  return Object.fromEntries(members) as JsonObject;
}

/** The output without the order in which things that ran side by side were seen. */
export function unordered(show: Show): Show {
  const events = comparable(show).events.map((event) => {
    const { item } = event;
    return isJsonObject(item) ? { ...event, item: { ...item, id: '(order)' } } : event;
  });
  const text = (event: JsonObject) => JSON.stringify(event);
  return { ...show, events: events.toSorted((a, b) => (text(a) < text(b) ? -1 : 1)) };
}

/** Type by type, as `item.completed agent_message`. */
export function kindsOf({ events }: Pick<Show, 'events'>): readonly string[] {
  return events.map(({ type, item }) =>
    isJsonObject(item) ? `${String(type)} ${String(item['type'])}` : String(type),
  );
}
