import { nameMatcher, type NamePatternPart } from '../../../base/name-matcher.ts';
import { defined } from '../../../base/objects.ts';
import { isSecretVariable } from '../secrets.ts';

export interface ShellEnvironmentPolicy {
  /** `core` keeps what a shell needs to find programs and folders. */
  readonly inherit: 'all' | 'core' | 'none';
  /** Passes on variables even if their names look like secrets. */
  readonly ignoreDefaultExcludes: boolean;
  /** Wildcards `*` and `?`; case-insensitive. */
  readonly exclude: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  /** If not empty, only these pass, even from `set`. */
  readonly includeOnly: readonly string[];
  /** Variables that the configuration names for providers and servers: never passed on, unless `set` names them. */
  readonly withheld?: readonly string[];
}

/** Variable names have no components, so a slash must not end what a wildcard covers. */
const folded = (text: string): string => text.toUpperCase().replaceAll('/', '\0');
/** Variable with the token of the MCP server. With it a command could start a thread without a sandbox. */
export const accessTokenVariable = 'CAPSTAN_MCP_TOKEN';
/** Keys to the engine itself: no policy passes them on, not even with `set`. */
const isOwnKey = matcher([accessTokenVariable]);

export const defaultShellEnvironmentPolicy: ShellEnvironmentPolicy = {
  inherit: 'all',
  ignoreDefaultExcludes: false,
  exclude: [],
  set: {},
  includeOnly: [],
};

const core = matcher('PATH SHELL TMPDIR TEMP TMP HOME LANG LC_ALL LC_CTYPE LOGNAME USER'.split(' '));
/** Git's settings in variables. Capstan drops those with "key" in their name; git fails unless all are dropped. */
const gitSettings = matcher(['GIT_CONFIG_COUNT', 'GIT_CONFIG_VALUE_*', 'GIT_CONFIG_PARAMETERS']);

/**
 * Output without colours, pagers or locale effects, whatever the user's terminal. No person sees an editor that git
 * would start: `git rebase --continue` takes the existing message, `git commit` without one fails.
 */
const fixed: Readonly<Record<string, string>> = {
  NO_COLOR: '1',
  TERM: 'dumb',
  LANG: 'C.UTF-8',
  LC_CTYPE: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  COLORTERM: '',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GH_PAGER: 'cat',
  GIT_EDITOR: ':',
  CODEX_CI: '1',
  CAPSTAN: '1',
};

/** The variables that pass from `base`, then `extra` (the thread's name and the like, unfiltered), then the fixed values. */
export function childEnvironment(
  base: Readonly<Record<string, string>>,
  policy: ShellEnvironmentPolicy,
  extra: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isInherited = inheritanceFilter(policy);
  const isIncluded = includedBy(policy);
  const inherited = Object.entries(base).filter(([name]) => isInherited(name));
  const set = Object.entries(fixedVariables(policy)).filter(([name]) => isIncluded(name));
  return { ...Object.fromEntries([...inherited, ...set]), ...extra, ...fixed };
}

export const fixedVariables = ({ set }: Pick<ShellEnvironmentPolicy, 'set'>): ShellEnvironmentPolicy['set'] =>
  Object.fromEntries(Object.entries(set).filter(([name]) => !isOwnKey(name)));

/** Tells by name whether one of the user's variables passes the policy. */
export function inheritanceFilter(policy: Omit<ShellEnvironmentPolicy, 'set'>): (name: string) => boolean {
  const excluded = matcher(policy.exclude);
  const isIncluded = includedBy(policy);
  const withheld = new Set((policy.withheld ?? []).map(folded));
  return (name) =>
    policy.inherit !== 'none' &&
    !withheld.has(folded(name)) &&
    !isOwnKey(name) &&
    (policy.inherit === 'all' || core(name)) &&
    (policy.ignoreDefaultExcludes || !(isSecretVariable(name) || gitSettings(name))) &&
    !excluded(name) &&
    isIncluded(name);
}

const includedBy = ({ includeOnly }: Pick<ShellEnvironmentPolicy, 'includeOnly'>): ((name: string) => boolean) =>
  includeOnly.length === 0 ? () => true : matcher(includeOnly);

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const matchers = patterns.map((pattern) => nameMatcher([...folded(pattern)].map(partOf)));
  return (name) => matchers.some((matches) => matches(folded(name)));
}

function partOf(character: string): NamePatternPart {
  if (character === '*') return { kind: 'some' };
  return character === '?' ? { kind: 'one' } : { kind: 'text', text: character };
}

type Variables = Readonly<Record<string, string>>;

/** The caller's values win: the user set them for this run. The login shell adds missing ones, and folders to PATH. */
export const withLoginShell = (caller: Variables, loginShell: Variables): Variables => ({
  ...loginShell,
  ...caller,
  ...defined({ PATH: joinPaths(caller['PATH'], loginShell['PATH']) }),
});

/** Only absolute folders of the second path are added: an empty or relative one means the command's folder. */
function joinPaths(first: string | undefined, second: string | undefined): string | undefined {
  const seen = new Set(first?.split(':').map(withoutSlash));
  const added = (second ?? '')
    .split(':')
    .filter((folder) => folder.startsWith('/') && seen.size < seen.add(withoutSlash(folder)).size);
  return added.length === 0 ? first : [...(first ? [first] : []), ...added].join(':');
}

const withoutSlash = (folder: string): string =>
  folder.length > 1 && folder.endsWith('/') ? folder.slice(0, -1) : folder;
