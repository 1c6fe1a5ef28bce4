import { inside, type ProjectPart, partsIn, projectFolders, projectNames } from '../files/project-folders.ts';
import type { BaseLayers } from './config-layers.ts';
import { isOfUser, isThere } from './layer-files.ts';

/** What the project around a folder brings. Only looked for, not read: a stranger may have written it. */
export function projectParts(base: BaseLayers, folder: string): readonly ProjectPart[] {
  const owners = projectFolders(folder, base.config.projectRootMarkers);
  return owners.flatMap((owner) => {
    const layers = projectNames.filter((name) => !isOfUser(inside(owner) + name, base));
    const isShared = ({ path }: ProjectPart): boolean => path === `${inside(owner)}.agents/skills`;
    const parts = partsIn(owner, layers);
    return (owner === base.osHome ? parts.filter((part) => !isShared(part)) : parts).filter(isThere);
  });
}
