import { isJsonObject, type JsonObject, objectAt } from '../../protocol/json.ts';
import { fileEntries, type TableBase } from './file-entries.ts';
import { meantPlace } from './spellings.ts';

/** A parent's profile without the places about which its child says something in another spelling. */
export function withoutRespelled(parent: JsonObject, child: JsonObject, base: TableBase): JsonObject {
  const [above, own] = [objectAt(parent, 'filesystem'), objectAt(child, 'filesystem')];
  if (above === undefined || own === undefined) return parent;
  const replaced = new Set(fileEntries(own, [], base).entries.map(({ path }) => meantPlace(path)));
  const isReplaced = (key: string, value: unknown): boolean => {
    const [entry] = fileEntries({ [key]: value } as JsonObject, [], base).entries;
    return entry !== undefined && replaced.has(meantPlace(entry.path));
  };
  const left = Object.entries(above).flatMap(([key, value]) => {
    // The same spelling replaces by itself.
    if (Object.hasOwn(own, key)) return [[key, value]];
    if (!isJsonObject(value)) return isReplaced(key, value) ? [] : [[key, value]];
    const kept = Object.entries(value).filter(([subpath, access]) => !isReplaced(key, { [subpath]: access }));
    return kept.length === 0 ? [] : [[key, Object.fromEntries(kept)]];
  });
  return { ...parent, filesystem: Object.fromEntries(left) as JsonObject };
}
