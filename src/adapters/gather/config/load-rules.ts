import type { ConfigProblem } from '../../../core/config/layer-order.ts';
import { fileSystem, kindOfEntry, diskErrorReason } from '../../disk/file-system.ts';
import { deniesRead, type ManagedRequirements } from '../../../core/policy/requirements.ts';
import { allowedPrefixes, decidedHosts } from '../../../core/policy/rules/match-rules.ts';
import { runRulesFile } from '../../../core/policy/rules/rules-file.ts';
import { joinRules, noRules, type RuleSet, restrictiveRules } from '../../../core/policy/rules/rule-set.ts';
import { readUtf8 } from './config-file.ts';
import type { RulesFolder, RulesInForce } from './rules-in-folder.ts';

/** More files than a person writes; each adds time to every start. */
const mostFiles = 100;

/** The rules of the folders, in order, and above them the administrator's. An invalid file is left out. */
export function loadRules(folders: readonly RulesFolder[], requirements: ManagedRequirements): RulesInForce {
  const problems: ConfigProblem[] = [];
  const denies = (path: string): boolean => deniesRead(requirements, path);
  let rules = noRules;
  for (const folder of folders) {
    for (const path of rulesFiles(folder.path, problems)) {
      const found = loadRulesFile(path, { denies, executables: rules.executables });
      if ('code' in found) problems.push(found);
      else rules = joinRules([rules, folder.may === 'allow' ? found : heldBack(path, found, problems)]);
    }
  }
  if (requirements.rules !== undefined) rules = joinRules([rules, { ...noRules, prefixes: requirements.rules }]);
  const { allowIgnoredOn } = requirements;
  if (allowIgnoredOn !== undefined) rules = { ...rules, allowIgnoredOn };
  return {
    rules: rules === noRules ? undefined : rules,
    approvedPrefixes: unlessEmpty(allowedPrefixes(rules)),
    networkRules: unlessEmpty(decidedHosts(rules)),
    problems,
  };
}

const unlessEmpty = <Value>(list: readonly Value[]): readonly Value[] | undefined =>
  list.length === 0 ? undefined : list;

function rulesFiles(folder: string, problems: ConfigProblem[]): readonly string[] {
  const refused = (reason: string, next: string): readonly string[] => {
    const message = `The rules in ${folder} cannot be read: ${reason}.`;
    problems.push({ code: 'rules-unreadable', message, next, severity: 'error', source: folder });
    return [];
  };
  try {
    const names = fileSystem.readdirSync(folder).filter((name) => name.endsWith('.rules') && name !== '.rules');
    const paths = names.toSorted().map((name) => `${folder}/${name}`);
    const files = paths.filter((path) => kindOfEntry(path) === 'file');
    return files.length <= mostFiles ? files : refused(`it has more than ${mostFiles} files`, 'Join some of them.');
  } catch (error) {
    const reason = kindOfEntry(folder) === 'file' ? 'it is a file' : diskErrorReason(error);
    return refused(reason, `Make ${folder} a readable folder, or delete it.`);
  }
}

/** The rules of one file, or why it has none. `executables`: program paths named by earlier files. */
export function loadRulesFile(
  path: string,
  { denies, executables }: { readonly denies?: (path: string) => boolean } & Pick<RuleSet, 'executables'>,
): RuleSet | ConfigProblem {
  const fault = (message: string, next: string): ConfigProblem =>
    ({ code: 'rules-broken', message, next, severity: 'warning', source: path }) as const;
  const text = readUtf8(path, { denies });
  if (text === undefined) return fault(`${path} does not exist.`, 'Check its name and its folder.');
  if (typeof text !== 'string') return fault(text.message, text.next);
  const read = runRulesFile(text, { file: path, executables });
  if (read.kind === 'read') return read.rules;
  const problem = fault(`${path}:${read.line}: ${read.message} Capstan ignores the whole file.`, read.next);
  return { ...problem, line: read.line };
}

/** Drops the rules that allow something: commands that may write the file could have made them. */
function heldBack(path: string, rules: RuleSet, problems: ConfigProblem[]): RuleSet {
  const kept = restrictiveRules(rules);
  if (kept.prefixes.length < rules.prefixes.length || kept.hosts.length < rules.hosts.length) {
    const message = `${path}: Capstan ignores what these rules allow, because the file is below the root of the project.`;
    const next = 'Move them to the root of the project or to your own rules.';
    problems.push({ code: 'rules-narrowed', message, next, severity: 'warning', source: path });
  }
  return kept;
}
