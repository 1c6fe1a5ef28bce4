import { isJsonObject, type Json, stringAt } from '../../protocol/json.ts';

/** Turns skills on or off, by name or by the path of their file or folder. */
export type SkillSwitch = { readonly name?: string; readonly path?: string; readonly enabled: boolean };

/** Valid entries of `skills.config`. `~` is the user's home folder. */
export function readSkillSwitches(entries: Json | undefined, osHome: string): readonly SkillSwitch[] {
  if (!Array.isArray(entries)) return [];
  return entries.filter(isJsonObject).flatMap((entry): readonly SkillSwitch[] => {
    const [name, path] = [stringAt(entry, 'name'), stringAt(entry, 'path')];
    const enabled = entry['enabled'];
    if (typeof enabled !== 'boolean' || (name === undefined && path === undefined)) return [];
    if (path === undefined) return [{ name: name as string, enabled }];
    return [{ path: path.startsWith('~/') ? osHome + path.slice(1) : path, enabled }];
  });
}

/** The last entry about a skill wins. */
export function isSwitchedOn(
  switches: readonly SkillSwitch[],
  { name, paths }: { readonly name: string; readonly paths: readonly string[] },
): boolean {
  const concerns = (each: SkillSwitch): boolean =>
    each.path === undefined
      ? each.name === name
      : paths.some((path) => path === each.path || path === `${each.path}/SKILL.md`);
  return switches.findLast(concerns)?.enabled ?? true;
}
