import type { CheckedLayer } from './check-layers.ts';
import type { ConfigLayer } from './config-layer.ts';
import { formatTomlKey } from './toml-key.ts';

/** Who decided each key that is set, by dotted key. The decision of the highest layer comes last. */
export type KeyOrigins = ReadonlyMap<string, string>;

export function keyOrigins(checked: readonly CheckedLayer[]): KeyOrigins {
  const origins = new Map<string, string>();
  for (const { layer, keys } of checked) {
    const origin = originName(layer);
    for (const path of keys) {
      const key = formatTomlKey(path);
      // Taken out first, so that the order of the map is that of the layers.
      origins.delete(key);
      origins.set(key, origin);
    }
  }
  return origins;
}

/** The highest layer that set one of the keys, or any key below one of them. */
export function originOf(origins: KeyOrigins, keys: readonly string[]): string | undefined {
  const isMeant = (set: string): boolean => keys.some((key) => set === key || set.startsWith(`${key}.`));
  return [...origins].findLast(([set]) => isMeant(set))?.[1];
}

/** `user`, `profile careful`, `project (/repo)`: short enough for a log, and enough to find the file. */
function originName({ name, source }: ConfigLayer): string {
  const parts = source.split('/');
  if (name === 'profile') return `profile ${(parts.at(-1) ?? '').replace(/\.config\.toml$/, '')}`;
  return name === 'project' ? `project (${parts.slice(0, -2).join('/') || '/'})` : name;
}
