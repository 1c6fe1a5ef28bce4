import type { Outcome } from '../../../protocol/outcome.ts';

export interface PackageStep {
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly timeoutMs: number;
}

const installCommands = {
  'apt-get': 'sudo apt-get install bubblewrap',
  dnf: 'sudo dnf install bubblewrap',
  pacman: 'sudo pacman -S bubblewrap',
  zypper: 'sudo zypper install bubblewrap',
  apk: 'sudo apk add bubblewrap',
} as const;

export const packagePrograms = [...Object.keys(installCommands), 'dpkg'] as readonly string[];

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
  const [, command] = Object.entries(installCommands).find(([name]) => programs[name] !== undefined) ?? [];
  return {
    code: 'no-package',
    message: 'Capstan can unpack bubblewrap only from a Debian package, and this system has no apt-get and dpkg.',
    next: command === undefined ? 'Install the package "bubblewrap" of your distribution.' : `Install it: ${command}`,
  };
}
