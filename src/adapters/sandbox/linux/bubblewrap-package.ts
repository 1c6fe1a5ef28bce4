import type { Outcome } from '../../../protocol/outcome.ts';

export interface PackageStep {
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly timeoutMs: number;
}

/** How each package program installs. */
const verbs = { 'apt-get': 'install', dnf: 'install', pacman: '-S', zypper: 'install', apk: 'add' } as const;

export const packagePrograms = [...Object.keys(verbs), 'dpkg'] as readonly string[];

/** Steps that download and unpack the distribution's package. None needs root or changes the system. */
export function planPackage(programs: Readonly<Record<string, string | undefined>>, work: string) {
  const { 'apt-get': apt, dpkg } = programs;
  if (apt === undefined || dpkg === undefined) return installYourself(programs);
  const downloads = `${work}/download`;
  const patience = ['-q', '-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1'];
  const own = [
    `Dir::State=${work}/state`,
    `Dir::State::Lists=${work}/state/lists`,
    `Dir::Cache=${work}/cache`,
    `Dir::Cache::Archives=${work}/cache/archives`,
    // When run by root, apt would switch to a user that cannot write here.
    'APT::Sandbox::User=root',
  ].flatMap((setting) => ['-o', setting]);
  const fetch = (options: readonly string[]): PackageStep => {
    const words = [...patience, ...options, 'download', 'bubblewrap'];
    return { program: apt, words, cwd: downloads, timeoutMs: 120_000 };
  };
  return {
    kind: 'package-steps' as const,
    folders: [downloads, `${work}/state/lists/partial`, `${work}/cache/archives/partial`],
    downloads,
    /** Uses the system's package lists. */
    download: fetch([]),
    /** Uses package lists of its own, if those of the system are missing or old. */
    downloadWithOwnLists: [
      { program: apt, words: [...patience, ...own, 'update'], cwd: work, timeoutMs: 180_000 },
      fetch(own),
    ],
    unpack: (file: string, target: string): PackageStep => {
      return { program: dpkg, words: ['-x', file, target], cwd: work, timeoutMs: 60_000 };
    },
  };
}

/** Other package programs unpack nothing without root. */
function installYourself(programs: Readonly<Record<string, string | undefined>>): Outcome<'no-package'> {
  const [program, verb] = Object.entries(verbs).find(([name]) => programs[name] !== undefined) ?? [];
  const command = program && `Install it: sudo ${program} ${verb} bubblewrap`;
  return {
    code: 'no-package',
    message: 'Capstan can unpack bubblewrap only from a Debian package, and this system has no apt-get and dpkg.',
    next: command ?? 'Install the package "bubblewrap" of your distribution.',
  };
}
