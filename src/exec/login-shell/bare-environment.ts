type Variables = Readonly<Record<string, string>>;

/** What start-up files may go by and a fresh login has, too. */
const passedOn = [
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TMPDIR',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'ZDOTDIR',
];

/**
 * What the login shell starts with: what a fresh login would have, and nothing else of the caller's. So whatever it
 * answers comes from the start-up files, is the same for every caller, and can be kept for the next one.
 */
export function bareEnvironment(env: Variables, { shell, home }: { shell: string; home: string }): Variables {
  const passed = Object.fromEntries(
    passedOn.flatMap((name): [string, string][] => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  return { HOME: home, ...passed, PATH: path, SHELL: shell, TERM: 'dumb' };
}

/** Variables that the shell says about itself, or that it was given so that it can start. */
const ownToShell = new Set(['SHLVL', '_', 'PWD', 'OLDPWD', 'TERM']);

export function isOwnToShell(name: string): boolean {
  return ownToShell.has(name);
}
