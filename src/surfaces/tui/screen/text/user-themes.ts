import type { Engine } from '../../../../engine/engine.ts';
import { isJsonObject, type Json } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import { nearestIndexed } from './draw-row.ts';
import type { BackRole, ColourRole } from './style.ts';
import { isBuiltInTheme, ownTheme, themes } from './themes.ts';
import type { BackgroundColour, TextColour, Theme, ThemeChoice } from './themes.ts';

export async function readUserThemes(engine: Engine) {
  const choices: ThemeChoice[] = [];
  const problems: { readonly name: string; readonly outcome: Outcome }[] = [];
  for (const { name, path, content } of await engine.user.themeFiles()) {
    const read = 'text' in content ? parseTheme(name, content.text) : content;
    if ('problem' in read) {
      const message = `${path} is not used: ${read.problem}.`;
      const next = 'Correct the file, or choose another with /theme.';
      problems.push({ name, outcome: { code: 'theme-broken', message, next } });
    } else choices.push(ownTheme(read));
  }
  return { choices, problems };
}

const sixteen: Readonly<Record<string, number>> = Object.fromEntries(
  ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'].flatMap((name, at) => [
    [name, 30 + at],
    [`bright-${name}`, 90 + at],
  ]),
);

const accepted = '"#rrggbb", a number from 0 to 255, or a name such as "cyan" or "bright-blue"';

/** Parses a user's theme file, or gives its problem. Only numbers get from here to the terminal. */
export function parseTheme(name: string, text: string): Theme | { readonly problem: string } {
  let given: Json;
  try {
    given = JSON.parse(text) as Json;
  } catch (error) {
    return { problem: `it is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (!isJsonObject(given)) return { problem: 'it must be an object' };
  const { extends: from = 'dark', colours = {}, backgrounds = {}, dim = true, ...others } = given;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    return { problem: `"${unknown}" is not known. Use "extends", "colours", "backgrounds" and "dim"` };
  if (typeof from !== 'string' || !isBuiltInTheme(from))
    return { problem: `"extends" must be one of ${Object.keys(themes).join(', ')}` };
  if (typeof dim !== 'boolean') return { problem: '"dim" must be true or false' };
  const base: Theme = themes[from];
  const inks = members(colours, 'colours', Object.keys(themes.dark.inks), (value, role) =>
    inkOf(value, base.inks[role as ColourRole]),
  );
  if ('problem' in inks) return inks;
  const grounds = members(backgrounds, 'backgrounds', Object.keys(themes.dark.grounds), (value) => groundOf(value));
  if ('problem' in grounds) return grounds;
  return {
    name,
    hasDim: base.hasDim && dim,
    inks: { ...base.inks, ...(inks.read as Partial<Record<ColourRole, TextColour>>) },
    grounds: { ...base.grounds, ...(grounds.read as Partial<Record<BackRole, BackgroundColour>>) },
  };
}

function members<Value>(
  given: Json,
  table: string,
  roles: readonly string[],
  read: (value: Json | undefined, role: string) => Value | undefined,
): { readonly read: Readonly<Record<string, Value>> } | { readonly problem: string } {
  if (!isJsonObject(given)) return { problem: `"${table}" must be an object` };
  const found: Record<string, Value> = {};
  for (const [role, value] of Object.entries(given)) {
    if (!roles.includes(role)) return { problem: `${table} has no "${role}". Use ${roles.join(', ')}` };
    const colour = read(value, role);
    if (colour === undefined) return { problem: `"${role}" of ${table} must be ${accepted}` };
    found[role] = colour;
  }
  return { read: found };
}

function inkOf(value: Json | undefined, base: TextColour = [39, undefined, undefined]): TextColour | undefined {
  const [near] = base;
  if (isIndexed(value)) return [near, value, undefined];
  if (typeof value !== 'string') return undefined;
  const full = fullOf(value);
  if (full !== undefined) return [near, nearestIndexed(full), full];
  const named = Object.hasOwn(sixteen, value) ? sixteen[value] : undefined;
  return named === undefined ? undefined : [named, undefined, undefined];
}

function groundOf(value: Json | undefined): BackgroundColour | undefined {
  const full = typeof value === 'string' ? fullOf(value) : undefined;
  return full === undefined ? undefined : [nearestIndexed(full), full];
}

const isIndexed = (value: Json | undefined): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;

const fullOf = (text: string): number | undefined =>
  /^#[\da-f]{6}$/i.test(text) ? Number.parseInt(text.slice(1), 16) : undefined;
