import { inside, projectFolders } from '../files/project-folders.ts';
import { projectNames } from './config-in-folder.ts';
import type { BaseLayers } from './config-layers.ts';
import { isOfUser, isThere } from './layer-files.ts';

/** A file or folder of a project that counts only if the user trusts the project. */
export interface ProjectPart {
  readonly kind: 'config' | 'hooks' | 'rules' | 'skills' | 'agents';
  readonly path: string;
}

const names: readonly (readonly [ProjectPart['kind'], string])[] = [
  ['config', 'config.toml'],
  ['hooks', 'hooks.json'],
  ['rules', 'rules'],
  ['skills', 'skills'],
  ['agents', 'agents'],
];

/** What the project around a folder brings. Only looked for, not read: a stranger may have written it. */
export function projectParts(base: BaseLayers, folder: string): readonly ProjectPart[] {
  const owners = projectFolders(folder, base.config.projectRootMarkers);
  return owners.flatMap((owner) => {
    const layers = projectNames.map((name) => inside(owner) + name).filter((layer) => !isOfUser(layer, base));
    const parts = layers.flatMap((layer) => names.map(([kind, name]) => ({ kind, path: `${layer}/${name}` })));
    const shared = { kind: 'skills', path: `${inside(owner)}.agents/skills` } as const;
    const isOwn = owner === base.osHome;
    return [...parts, ...(isOwn ? [] : [shared])].filter(isThere);
  });
}
