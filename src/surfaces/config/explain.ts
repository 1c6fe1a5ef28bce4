import { sourceOf } from '../../config/config-layer.ts';
import { hideSecrets } from '../../policy/secrets.ts';
import { keyStatus } from '../../config/known-key.ts';
import { formatTomlKey, parseTomlKey } from '../../config/toml-key.ts';
import { writeTomlValue } from '../../config/write-toml.ts';
import { isJsonObject, type Json, type JsonObject, valueAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { table } from '../terminal/table.ts';
import type { Configured } from '../engine/configured.ts';
import { layerState } from './show.ts';
import { approvalName } from '../../policy/approval-policy.ts';

/** What every layer says about a key, the highest first, and which of them wins. */
export function explainKey(configured: Configured, key: string): { readonly text: string } | Outcome<'unknown-key'> {
  const path = parseTomlKey(key);
  const status = path && keyStatus(path);
  if (path === undefined || status === undefined || status.kind === 'unknown') {
    const nearest = status?.kind === 'unknown' ? status.nearest : undefined;
    const next =
      nearest === undefined ? 'List all keys with `capstan config show`.' : `Did you mean ${formatTomlKey(nearest)}?`;
    return { code: 'unknown-key', message: `${key} is not a known key.`, next };
  }
  const { effective, layers } = configured;
  const name = formatTomlKey(path);
  const value = shownAt(effective.values, path);
  const winner = effective.originOf(path);
  const shown = layers.filter((layer) => layer.name !== 'default' || valueAt(layer.values, path) !== undefined);
  const rows = shown.toReversed().map((layer) => {
    const own = shownAt(layer.values, path);
    const said = own === undefined ? layerState(layer, configured) || 'not set' : writeTomlValue(own);
    // A table is put together from all layers that have a part of it, so no single one wins.
    const wins = layer.source === winner?.source && layer.name === winner.name && !isTable(value);
    return [wins ? 'wins ->' : '', layer.name, own === undefined ? layer.source : sourceOf(layer, path), said];
  });
  const head = value === undefined ? `${name} is not set.` : `${name} = ${writeTomlValue(value)}`;
  const note = status.kind === 'unused' ? 'Capstan does not use this key yet.\n' : noteOn(configured, name);
  return { text: `${head}\n${note}\n${table(rows)}` };
}

function noteOn(configured: Configured, name: string): string {
  const { modelIsFor, effective } = configured;
  if (name !== 'model' || modelIsFor === undefined) return requirementText(configured, name);
  const chosen = writeTomlValue(effective.values['model_provider'] ?? '');
  return `The files name a model for the provider "${modelIsFor}", and model_provider is ${chosen}.\n`;
}

/** What the machine demands of the key, whatever the layers say. */
function requirementText({ requirements }: Configured, name: string): string {
  const { approvals, sandboxModes, features } = requirements;
  const named = approvals && { ...approvals, allowed: approvals.allowed.map(approvalName) };
  const rule = name === 'approval_policy' ? named : name === 'sandbox_mode' ? sandboxModes : undefined;
  if (rule !== undefined) return `Allowed by ${rule.key} in ${rule.source}: ${rule.allowed.join(', ')}.\n`;
  const feature = name.startsWith('features.') ? name.slice('features.'.length) : '';
  const pin = features?.pins[feature];
  return pin === undefined ? '' : `Required by ${name} in ${features?.source ?? ''}: ${String(pin)}.\n`;
}

/** The secrets are hidden before the key is looked up: its own name may not show what it is. */
function shownAt(values: JsonObject, path: readonly string[]): Json | undefined {
  return valueAt(hideSecrets(values), path);
}

function isTable(value: Json | undefined): boolean {
  return isJsonObject(value) && Object.keys(value).length > 0;
}
