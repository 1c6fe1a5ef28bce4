/** A program as the runner starts it. It gets these variables and no others. */
export interface Command {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** The environment of every contender: a search path, and a home folder without profile files of its own. */
export function plainEnvironment(osHome: string): Readonly<Record<string, string>> {
  return { HOME: osHome, PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', SHELL: '/bin/bash' };
}
