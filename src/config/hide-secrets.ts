import { equalJson, isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import type { ConfigLayer } from './config-layer.ts';
import { mayNameSecret } from './secret-name.ts';
import { isVariableName } from './variable-name.ts';

const hidden = '<hidden>';

/** Keys that hold a secret wherever they stand. */
const secretKey = /(?:^|_)(?:bearer_token|access_token|refresh_token|id_token|api_key|client_secret|secret|password)$/i;

/** Keys that name a variable, and tables of such names. What else stands there is a key that was written in its place. */
const namingKey = /^(?:env_key|env_http_headers|\w+_env_var)$/;

/** Tables in which the user makes up names, for values that go to servers and commands. */
const openTables = new Set(['http_headers', 'query_params', 'headers', 'set', 'env']);

/** What tokens of well-known services begin with. */
const secretShape =
  /^(?:bearer|basic|token)\s+\S{12,}$|^(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|hf|npm|xox[a-z])[-_][\w-]{8,}|^AKIA[A-Z0-9]{12,}|^eyJ[\w-]{10,}\./i;

/** A header's credentials, or long and without a word in it. Elsewhere such a text is prose, an id or a hash. */
const openShape = /^(?:bearer|basic|token)\s+\S+$|^(?=.*\d)(?=.*[A-Za-z])[\w+/=.~-]{20,}$/i;

/** The files of those layers that hold a secret. */
export function filesWithSecrets(layers: readonly ConfigLayer[]): readonly string[] {
  return layers
    .filter(({ values, text }) => text !== undefined && !equalJson(hideSecrets(values), values))
    .map(({ source }) => source);
}

/** The values as they may be shown: everything that is a secret, or looks like one, is replaced. */
export function hideSecrets(values: JsonObject): JsonObject {
  return hideTable(values, { isOpen: false });
}

function hideTable(values: JsonObject, { isOpen }: { readonly isOpen: boolean }): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (value === undefined) return [key, undefined];
      const isSecret = secretKey.test(key) || (isOpen && mayNameSecret(key));
      if (namingKey.test(key)) return [key, hideUnlessName(value)];
      if (key === 'otel' && isJsonObject(value)) return [key, hideExporters(value)];
      return [key, hideValue(value, { isSecret, isOpen: isOpen || openTables.has(key) })];
    }),
  );
}

function hideValue(value: Json, at: { readonly isSecret: boolean; readonly isOpen: boolean }): Json {
  if (Array.isArray(value)) return value.map((member: Json) => hideValue(member, at));
  if (isJsonObject(value)) return hideTable(value, at);
  if (at.isSecret) return hidden;
  if (typeof value !== 'string') return value;
  if (secretShape.test(value) || (at.isOpen && openShape.test(value))) return hidden;
  return hideInAddress(value);
}

function hideUnlessName(value: Json): Json {
  if (!isJsonObject(value)) {
    const isPlain = typeof value === 'boolean' || (typeof value === 'string' && isVariableName(value));
    return isPlain ? value : hidden;
  }
  const members = Object.entries(value).map(([name, member]) => [name, member && hideUnlessName(member)]);
  return Object.fromEntries(members) as JsonObject;
}

/** Collectors take keys in headers of any name, and in their addresses. */
function hideExporters(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (key === 'headers' && isJsonObject(value)) {
        return [key, Object.fromEntries(Object.keys(value).map((name) => [name, hidden]))];
      }
      if (isJsonObject(value)) return [key, hideExporters(value)];
      const shown = value === undefined ? value : hideValue(value, { isSecret: secretKey.test(key), isOpen: false });
      return [key, key === 'endpoint' && typeof shown === 'string' ? shown.replace(/\?.*/s, `?${hidden}`) : shown];
    }),
  );
}

/** The user's part of an address, and parameters that are named like secrets. */
function hideInAddress(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return text
    .replace(/(?<=^[^/]*:\/\/)[^/?#]*@/, `${hidden}@`)
    .replace(/(?<=[?&])([^=&#?]*)=[^&#]+/g, (all, name: string) =>
      mayNameSecret(name) || /sig/i.test(name) ? `${name}=${hidden}` : all,
    );
}
