import { isJsonObject, type Json, type JsonObject, objectAt } from '../protocol/json.ts';

/** Older names of features. The newer name wins where both are set. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['codex_hooks', 'hooks'],
  ['collab', 'multi_agent'],
  ['connectors', 'apps'],
  ['experimental_use_unified_exec_tool', 'unified_exec'],
  ['imagegenext', 'image_generation'],
  ['memory_tool', 'memories'],
  ['request_permissions', 'exec_permission_approvals'],
  ['telepathy', 'chronicle'],
  ['web_search', 'web_search_request'],
]);

/** The name of a feature today. */
export function gateName(name: string): string {
  return aliases.get(name) ?? name;
}

/** The gates that do something here. All other names belong to Codex, and change nothing. `isOpen`: unless it is set. */
const gates = [
  { name: 'current_time_reminder', isOpen: false, does: 'the tool current_time' },
  { name: 'default_mode_request_user_input', isOpen: false, does: 'the tool request_user_input outside plan mode' },
  { name: 'enable_request_compression', isOpen: true, does: 'requests with a ChatGPT login are compressed' },
  { name: 'goals', isOpen: false, does: 'a thread continues by itself until its goal is reached' },
  { name: 'hooks', isOpen: true, does: 'hooks run' },
  { name: 'memories', isOpen: false, does: 'notes about earlier threads are written and read' },
  { name: 'multi_agent', isOpen: false, does: 'the tools that start agents' },
  { name: 'plugins', isOpen: true, does: 'skills of plugins that the configuration enables' },
  { name: 'remote_compaction_v2', isOpen: true, does: 'the newer endpoint for checkpoints of the provider' },
  { name: 'responses_websockets', isOpen: true, does: 'requests over a WebSocket where the provider supports it' },
  { name: 'sleep_tool', isOpen: false, does: 'the tools sleep and current_time' },
  { name: 'image_generation', isOpen: false, does: 'pictures that the provider generates' },
  { name: 'token_budget', isOpen: false, does: 'the tools get_context_remaining and new_context' },
  { name: 'use_legacy_landlock', isOpen: false, does: 'Landlock in the place of bubblewrap' },
] as const;

export type GateName = (typeof gates)[number]['name'];

export const usedGates: readonly { readonly name: GateName; readonly isOpen: boolean; readonly does: string }[] = gates;

/** What is set of gates, by name. Absent: nothing. */
export type GivenGates = Readonly<Record<string, boolean>> | undefined;

export function isGateOpen(name: GateName, given: GivenGates): boolean {
  return given?.[name] ?? gates.some((gate) => gate.name === name && gate.isOpen);
}

/** The names of all gates that are open, those of other programs too. */
export function openGates(given: GivenGates): readonly string[] {
  const all = { ...Object.fromEntries(gates.map(({ name, isOpen }) => [name, isOpen])), ...given };
  return Object.keys(all).filter((name) => all[name] === true);
}

/** The features that the configuration opened or closed. One with settings of its own is as its `enabled` says. */
export function featureGates(given: Readonly<Record<string, boolean | JsonObject>>): Readonly<Record<string, boolean>> {
  const gates = Object.entries(given).flatMap(([name, value]): [string, boolean][] => {
    const open = isJsonObject(value) ? value['enabled'] : value;
    return typeof open === 'boolean' ? [[name, open]] : [];
  });
  const renamed = gates.map(([name, open]): [string, boolean] => [gateName(name), open]);
  return Object.fromEntries([...renamed, ...gates.filter(([name]) => !aliases.has(name))]);
}

/** Two layers whose features can be merged: a switch over a table, or below one, becomes the table's `enabled`. */
export function withToggles(lower: JsonObject, upper: JsonObject): readonly [lower: JsonObject, upper: JsonObject] {
  const [below, above] = [objectAt(lower, 'features'), objectAt(upper, 'features')];
  if (below === undefined || above === undefined) return [lower, upper];
  return [
    { ...lower, features: asTables(below, above) },
    { ...upper, features: asTables(above, below) },
  ];
}

function asTables(features: JsonObject, others: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(features).map(([name, value]): [string, Json | undefined] => [
      name,
      typeof value === 'boolean' && objectAt(others, name) !== undefined ? { enabled: value } : value,
    ]),
  );
}
