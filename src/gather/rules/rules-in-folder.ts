import { type BaseLayers, type ConfigChoices, usualSystemFolders } from '../config/config-layers.ts';
import { findTrust } from '../config/trust.ts';
import { isOfUser, isThere } from '../config/layer-files.ts';
import { inside, projectFolders, projectNames } from '../files/project-folders.ts';
import type { RulesFolder, RulesInForce } from './rules-in-force.ts';

type RuleChoices = Pick<ConfigChoices, 'systemFolders' | 'ignoreRules' | 'ignoreUserConfig'>;

/** Most users have no rules, and nothing that reads them is loaded then. */
export async function rulesInFolder(base: BaseLayers, folder: string, choices: RuleChoices): Promise<RulesInForce> {
  const folders = rulesFolders(base, folder, choices);
  const { rules, allowIgnoredOn } = base.requirements;
  if (folders.length === 0 && rules === undefined && allowIgnoredOn === undefined) return { problems: [] };
  const { loadRules } = await import('./load-rules.ts');
  return loadRules(folders, base.requirements);
}

/** Beside the files of each layer of the configuration that counts, lowest first. */
function rulesFolders(base: BaseLayers, folder: string, choices: RuleChoices): readonly RulesFolder[] {
  const { systemFolders = usualSystemFolders, ignoreRules, ignoreUserConfig } = choices;
  const own = (layer: string): RulesFolder => ({ path: `${inside(layer)}rules`, may: 'allow' });
  const ofMachine = systemFolders.map(own).filter(isThere).slice(0, 1);
  if (ignoreRules === true) return ofMachine;
  const ofUser = ignoreUserConfig === true ? [] : [own(base.home)].filter(isThere);
  return [...ofMachine, ...ofUser, ...projectRules(base, folder)];
}

/** A project that is not trusted gives none, and it is not mentioned: to look at what a stranger wrote is no fault. */
function projectRules(base: BaseLayers, folder: string): readonly RulesFolder[] {
  const folders = projectFolders(folder, base.config.projectRootMarkers);
  const found = folders.flatMap((owner) =>
    projectNames
      .map((name) => ({ layer: inside(owner) + name, owner }))
      .filter(({ layer }) => isThere({ path: `${layer}/rules` }) && !isOfUser(layer, base)),
  );
  return found.flatMap(({ layer, owner }): readonly RulesFolder[] => {
    const { trust, folder: trusted } = findTrust(owner, base.config, base.home);
    if (trust !== 'trusted') return [];
    const isNamed = owner === folders[0] || (trusted !== undefined && inside(trusted) === inside(owner));
    return [{ path: `${layer}/rules`, may: isNamed && base.landlock === 'never' ? 'allow' : 'hold-back' }];
  });
}
