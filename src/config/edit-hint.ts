import { equalJson, isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import { tomlTableAbove } from './edit-toml.ts';
import { formatTomlKey } from './toml-key.ts';
import { tomlKeyLine } from './toml-key-line.ts';
import { writeToml } from './write-toml.ts';

/**
 * What a user does by hand so that a document says something else in a table that it spells with dotted keys or between
 * braces: a second table of the same name would not be valid. Undefined where it has no such table.
 */
export function editHint(
  text: string,
  path: readonly string[],
  { before, wanted }: { readonly before: Json | undefined; readonly wanted: JsonObject },
): string | undefined {
  const line = tomlKeyLine(text, path);
  if (!isJsonObject(before) || line === undefined) return undefined;
  const isInline = /=\s*\{/.test(text.split('\n')[line - 1] ?? '');
  const changed = Object.entries(wanted).filter(([key, value]) => !equalJson(before[key] ?? null, value ?? null));
  return changed
    .map(([key, value]) => {
      const own = writeToml({ [key]: value }).trim();
      if (isInline) return `In the braces on line ${line}, write: ${own}`;
      const written = before[key] === undefined ? undefined : tomlKeyLine(text, [...path, key]);
      const inside = path.slice(tomlTableAbove(text, written ?? line).length);
      const whole = inside.length === 0 ? own : `${formatTomlKey(inside)}.${own}`;
      return written === undefined
        ? `Below line ${line}, add: ${whole}`
        : `On line ${written}, in place of what is there, write: ${whole}`;
    })
    .join('\n');
}
