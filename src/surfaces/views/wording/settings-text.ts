import { type ConfigLayer, configKeyLine, configKeySource } from '../../../core/config/layer-order.ts';
import { featureSwitches, type FeatureName, isGateOpen, usedFeatures } from '../../../core/config/features.ts';
import { configKeyNames, leafValues } from '../../../core/config/keys/inspect-keys.ts';
import { configSchema } from '../../../core/config/keys/key-table.ts';
import { formatTomlKey } from '../../../core/config/toml/toml-key.ts';
import { writeToml } from '../../../core/config/toml/write-toml.ts';
import { hideSecrets } from '../../../core/policy/secrets.ts';
import type { SignedIn } from '../../../engine/home/logins.ts';
import type { LoadedConfig } from '../../../engine/home/folder-config.ts';
import type { ListedServer } from '../../../engine/home/mcp-registry.ts';
import type { HomeMemory } from '../../../engine/memory/home-memory.ts';
import { formatCount, plural } from '../../../engine/wording.ts';
import { equalJson, type JsonObject, objectAt, valueAt } from '../../../protocol/json.ts';
import { visibleLine } from '../terminal/visible-text.ts';

export function configToml({ effective }: LoadedConfig, { origin }: { readonly origin: boolean }): string {
  const comment = (path: readonly string[]): string => describeOrigin(effective.originOf(path), path);
  const values = shownValues(effective.values);
  return `${writeToml(values, origin ? { comment } : {})}\n${notSet(values)}`;
}

/** The unset keys that this version reads, as comments. Features have a list of their own in the documentation. */
function notSet(values: JsonObject): string {
  // A key that may be set, but that the profile overrules.
  const overruled = 'default_permissions' in values ? 'sandbox_mode' : undefined;
  const names = configKeyNames().filter(
    (name) => !name.startsWith('features.') && name !== overruled && valueAt(values, name.split('.')) === undefined,
  );
  const lines = ['# Not set:'];
  for (const [at, name] of names.entries()) {
    const word = at === names.length - 1 ? name : `${name},`;
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= 80) lines[lines.length - 1] = longer;
    else lines.push(`#   ${word}`);
  }
  return `${lines.join('\n')}\n`;
}

export function configJson(configured: LoadedConfig, { origin }: { readonly origin: boolean }): string {
  const { effective, trust, layers, problems } = configured;
  const values = shownValues(effective.values);
  const paths = leafValues(values).map(({ path }) => path);
  const origins = paths.map((path) => [formatTomlKey(path), originJson(effective.originOf(path), path)]);
  const shown = {
    values,
    origins: origin ? Object.fromEntries(origins) : undefined,
    trust,
    layers: layers.map((layer) => {
      return { layer: layer.name, source: layer.source, state: layerState(layer, configured) || undefined };
    }),
    problems,
  };
  return `${JSON.stringify(shown, undefined, 2)}\n`;
}

function describeOrigin(layer: ConfigLayer | undefined, path: readonly string[]): string {
  if (layer === undefined) return 'unknown';
  const place = configKeySource(layer, path);
  return place === 'built in' ? layer.name : `${layer.name}, ${place}`;
}

const originJson = (layer: ConfigLayer | undefined, path: readonly string[]): JsonObject =>
  layer === undefined ? {} : { layer: layer.name, source: layer.source, line: configKeyLine(layer, path) };

/** Without secrets; first the keys in use, in the order of the key table, then the others by name. */
function shownValues(values: JsonObject): JsonObject {
  // Invalid entries leave an empty table behind.
  const filled = Object.keys(values).filter((key) => !equalJson(values[key], {}));
  const used = Object.keys(configSchema.keys).filter((key) => filled.includes(key));
  const others = filled.filter((key) => !used.includes(key)).toSorted();
  return hideSecrets(Object.fromEntries([...used, ...others].map((key) => [key, values[key]])));
}

/** The state of a layer in a word or two. Empty when it is in use. */
export function layerState({ name, source, text, disabled }: ConfigLayer, { problems }: LoadedConfig): string {
  if (disabled !== undefined) return `not used: ${disabled}`;
  if (name === 'default' || name === 'flags') return '';
  const codes = problems.filter((problem) => problem.source === source).map(({ code }) => code);
  if (codes.some((code) => /^config-(?:unreadable|syntax|profile)$/.test(code))) return 'cannot be read';
  return text === undefined ? 'no such file' : '';
}

export interface ConfiguredGate {
  readonly name: FeatureName;
  readonly open: boolean;
  /** `managed`: the administrator of the machine decides. */
  readonly decided: 'default' | 'config' | 'managed';
  readonly does: string;
}

type GateSources = Pick<LoadedConfig, 'effective' | 'requirements'>;

export function configuredGates({ effective, requirements }: GateSources): readonly ConfiguredGate[] {
  const features = objectAt(effective.values, 'features') ?? {};
  const set = featureSwitches(features as Readonly<Record<string, boolean | JsonObject>>);
  const pins = requirements.features?.pins ?? {};
  return usedFeatures.map(({ name, does }) => {
    const decided = pins[name] === undefined ? (set[name] === undefined ? 'default' : 'config') : 'managed';
    return { name, open: isGateOpen(name, { ...set, ...pins }), decided, does };
  });
}

export const serverAddressWords = ({ command, args = [], url }: JsonObject): string =>
  visibleLine(url === undefined ? [command, ...(args as readonly string[])].join(' ') : String(url));

export function mcpServerState({ enabled, problem, tools, failure, isLoggedIn }: ListedServer): string {
  const why = failure === undefined ? undefined : visibleLine(failure);
  const silent =
    why === undefined ? 'tools not known yet' : `did not start: ${why}; Capstan waits for it again in the next run`;
  const down = why === undefined ? '' : `; did not start when it was last tried: ${why}`;
  const known = tools === undefined ? silent : `${plural(tools, 'tool')}${down}`;
  const state = problem !== undefined ? problem.message : enabled ? known : 'disabled';
  return isLoggedIn ? `${state}, logged in` : state;
}

export function memoryText({ folder, summary, notes }: HomeMemory): string {
  if (summary === '' && notes.length === 0) return 'Nothing is remembered.\n';
  const lines = notes.map(({ threadId, kind, usedAt, tokens, failed }) => {
    const day = new Date(usedAt).toISOString().slice(0, 10);
    const later = failed === undefined ? '' : ', a later attempt failed';
    return `${day}  ${threadId}  ${words[kind]}${later}, ${formatCount(tokens)} tokens\n`;
  });
  const total = notes.reduce((sum, { tokens }) => sum + tokens, 0);
  const noted = notes.filter(({ kind }) => kind === 'noted').length;
  const threads = plural(notes.length, 'thread');
  const which =
    noted === 0 ? `No notes about ${threads}` : `Notes about ${noted === notes.length ? '' : `${noted} of `}${threads}`;
  const about = notes.length === 0 ? '' : `\n${which}, for ${formatCount(total)} tokens:\n${lines.join('')}`;
  return `${folder}\n\n${summary.trim() === '' ? 'There is no summary yet.' : summary.trim()}\n${about}`;
}

const words = { noted: 'noted', nothing: 'nothing to note', failed: 'failed' } as const;

/** Saving a key does not try it at the provider: it may be for another one, or for a server that is not running yet. */
export function signedInWords({ email, where }: SignedIn, { isKey }: { readonly isKey: boolean }): string {
  if (isKey) return `The key is saved in ${where}. It has not been checked: \`capstan models test\` asks the provider.`;
  return `Signed in${email === undefined ? '' : ` as ${email}`}. The login is kept in ${where}.`;
}
