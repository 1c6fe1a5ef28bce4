import { kindOfEntry } from '../../../engine/file-access.ts';
import { configKeySource } from '../../../core/config/layer-order.ts';
import { configKeyStatus } from '../../../core/config/keys/inspect-keys.ts';
import { formatTomlKey, parseTomlKey } from '../../../core/config/toml/toml-key.ts';
import { writeTomlValue } from '../../../core/config/toml/write-toml.ts';
import { approvalName } from '../../../core/policy/decide/approval-policy.ts';
import { hideSecrets } from '../../../core/policy/secrets.ts';
import { type LoadedConfig, loadFolderConfig } from '../../../engine/home/folder-config.ts';
import { isJsonObject, type Json, type JsonObject, valueAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { formatTable } from '../../views/terminal/tables.ts';
import { print, printNote } from '../../views/terminal/print.ts';
import { currentFolderAndUser } from '../../views/terminal/process.ts';
import { configJson, configToml, layerState } from '../../views/wording/settings-text.ts';
import type { configCommand } from '../table/settings-commands.ts';
import { resolve } from 'node:path';

type ConfigArguments = CommandArguments<typeof configCommand>;

/** Exit codes: 0: shown; 1: shown, but the configuration has an error or the key does not exist; 2: wrong usage. */
export async function run(given: ConfigArguments): Promise<number | Outcome> {
  const { folder = '.', json, ...choices } = given.options;
  const here = currentFolderAndUser();
  if ('code' in here) return here;
  const configured = await loadFolderConfig(resolve(here.cwd, folder), { ...choices, ...here });
  if ('code' in configured) return configured;
  const answer = answerTo(given, configured);
  if ('code' in answer) return answer;
  print(answer.text, json ? 'json' : 'text');
  const { problems, notices } = configured;
  for (const { message, next } of json ? [] : problems)
    printNote(`${message}${message.includes('\n') ? '\n' : ' '}${next}`);
  if (!json && given.variant === 'show') for (const { message } of notices) printNote(message);
  return problems.some(({ severity }) => severity === 'error') ? 1 : 0;
}

function answerTo(
  { variant, words: [key = ''], options }: ConfigArguments,
  configured: LoadedConfig,
): { readonly text: string } | Outcome {
  switch (variant) {
    case 'explain':
      return explainKey(configured, key);
    case 'path':
      return { text: pathText(configured) };
    case 'show':
      return { text: options.json ? configJson(configured, options) : configToml(configured, options) };
  }
}

/** The files in the order in which they override each other, then the requirements, which restrict the choices. */
function pathText(configured: LoadedConfig): string {
  const files = configured.layers.filter(({ name }) => name !== 'default' && name !== 'flags');
  const { requirementsFile: required } = configured;
  const rows = files.map((layer) => [layer.name, layer.source, layerState(layer, configured)]);
  const state = required === undefined || kindOfEntry(required) !== 'missing' ? '' : 'no such file';
  return formatTable([...rows, ...(required === undefined ? [] : [['requirements', required, state]])]);
}

export function explainKey(configured: LoadedConfig, key: string): { readonly text: string } | Outcome<'unknown-key'> {
  const path = parseTomlKey(key);
  const status = path && configKeyStatus(path);
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
    // A table is merged from all layers that have a part of it, so no single one wins.
    const isMerged = isJsonObject(value) && Object.keys(value).length > 0;
    const wins = layer.source === winner?.source && layer.name === winner.name && !isMerged;
    return [wins ? 'wins ->' : '', layer.name, own === undefined ? layer.source : configKeySource(layer, path), said];
  });
  const head = value === undefined ? `${name} is not set.` : `${name} = ${writeTomlValue(value)}`;
  const note = status.kind === 'unused' ? 'Capstan does not use this key yet.\n' : noteOn(configured, name);
  return { text: `${head}\n${note}\n${formatTable(rows)}` };
}

function noteOn(configured: LoadedConfig, name: string): string {
  const { modelIsFor, effective } = configured;
  if (name !== 'model' || modelIsFor === undefined) return requirementText(configured, name);
  const chosen = writeTomlValue(effective.values['model_provider'] ?? '');
  return `The files name a model for the provider "${modelIsFor}", and model_provider is ${chosen}.\n`;
}

function requirementText({ requirements }: LoadedConfig, name: string): string {
  const { approvals, sandboxModes, features } = requirements;
  const named = approvals && { ...approvals, allowed: approvals.allowed.map(approvalName) };
  const rule = name === 'approval_policy' ? named : name === 'sandbox_mode' ? sandboxModes : undefined;
  if (rule !== undefined) return `Allowed by ${rule.key} in ${rule.source}: ${rule.allowed.join(', ')}.\n`;
  const feature = name.startsWith('features.') ? name.slice('features.'.length) : '';
  const pin = features?.pins[feature];
  return pin === undefined ? '' : `Required by ${name} in ${features?.source ?? ''}: ${String(pin)}.\n`;
}

/** Secrets are hidden before the key is looked up: its own name may not reveal that it is one. */
const shownAt = (values: JsonObject, path: readonly string[]): Json | undefined => valueAt(hideSecrets(values), path);
