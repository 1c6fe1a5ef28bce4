import { equalJson, isJsonObject, type JsonObject, valueAt } from '../protocol/json.ts';
import { hideSecrets } from '../policy/secrets.ts';
import { tomlTableAbove } from './edit-toml.ts';
import { formatTomlKey } from './toml-key.ts';
import { tomlKeyLine } from './toml-key-line.ts';
import { writeToml } from './write-toml.ts';

/**
 * What a user does by hand so that a document says something else in a table that it, or a table around it, spells with
 * dotted keys or between braces: a second table of the same name would not be valid. Undefined where it has no such table.
 */
export function editHint(
  text: string,
  path: readonly string[],
  { before, wanted }: { readonly before: JsonObject; readonly wanted: JsonObject },
): string | undefined {
  const known = path.findLastIndex((_, at) => isJsonObject(valueAt(before, path.slice(0, at + 1)))) + 1;
  const around = path.slice(0, known);
  const line = known === 0 ? undefined : tomlKeyLine(text, around);
  if (line === undefined) return undefined;
  const set = known === path.length ? valueAt(before, path) : {};
  const own = isJsonObject(set) ? set : {};
  const isInline = /=\s*\{/.test(text.split('\n')[line - 1] ?? '');
  const below = path.slice(known);
  const changed = Object.entries(wanted).filter(([key, value]) => !equalJson(own[key] ?? null, value ?? null));
  return changed
    .map(([key, value]) => {
      const shown = valueAt(hideSecrets(nested(path, { [key]: value })), path) as JsonObject;
      const assigned = writeToml(shown).trim();
      if (isInline) return `In the braces on line ${line}, write: ${dotted(below, assigned)}`;
      const written = own[key] === undefined ? undefined : tomlKeyLine(text, [...path, key]);
      const whole = dotted(path.slice(tomlTableAbove(text, written ?? line).length), assigned);
      return written === undefined
        ? `Below line ${line}, add: ${whole}`
        : `On line ${written}, in place of what is there, write: ${whole}`;
    })
    .join('\n');
}

function nested(path: readonly string[], values: JsonObject): JsonObject {
  return path.reduceRight<JsonObject>((inner, part) => ({ [part]: inner }), values);
}

function dotted(path: readonly string[], assigned: string): string {
  return path.length === 0 ? assigned : `${formatTomlKey(path)}.${assigned}`;
}
