import type { Ids } from '../ports/ids.ts';
import type { ShellEnvironment } from '../ports/shell-environment.ts';
import type { Spawn } from '../ports/spawn.ts';
import { markName } from './warden-script.ts';

export interface ShellEnvironmentOptions {
  /** Path of the user's shell. */
  readonly shell: string;
  /** Where the shell starts: profile files may look at what lies around them. */
  readonly home: string;
  /** The process's own variables: what the shell starts with, and the answer when it fails. */
  readonly env: Readonly<Record<string, string>>;
  readonly spawn: Spawn;
  readonly ids: Ids;
}

const limits = { timeoutMs: 10_000, outputBytes: 4_000_000 };

/** What the capturing shell says about itself or is marked with, not about the user. */
const ownToShell = new Set(['SHLVL', '_', 'PWD', 'OLDPWD', markName]);

/** Asks the login shell for its variables. Whatever the profile files print besides is ignored. */
export function captureShellEnvironment(options: ShellEnvironmentOptions): ShellEnvironment {
  let captured: Promise<Readonly<Record<string, string>>> | undefined;
  return {
    variables() {
      captured ??= capture(options);
      return captured;
    },
  };
}

async function capture({
  shell,
  home,
  env,
  spawn,
  ids,
}: ShellEnvironmentOptions): Promise<Readonly<Record<string, string>>> {
  const mark = `capstan-${ids.uuid()}`;
  // NUL cannot stand in a variable, so it separates variables, and marks from variables.
  const script = `printf '${mark}\\0'; command env -0; printf '${mark}\\0'`;
  const end = await spawn.run(
    { kind: 'runnable', argv: [shell, '-lc', script], cwd: home, env, files: [], cleanup: async () => {} },
    limits,
    new AbortController().signal,
  );
  const variables = end.kind === 'exited' && end.exitCode === 0 ? parse(end.output.text, mark) : undefined;
  return withoutShellsOwn(variables ?? env);
}

function parse(text: string, mark: string): Readonly<Record<string, string>> | undefined {
  const [, between, ...rest] = text.split(`${mark}\0`);
  if (between === undefined || rest.length === 0) return undefined;
  const entries = between.split('\0').flatMap((line): [string, string][] => {
    const equals = line.indexOf('=');
    return equals > 0 ? [[line.slice(0, equals), line.slice(equals + 1)]] : [];
  });
  const variables = Object.fromEntries(entries);
  // A shell without a search path is a shell that failed.
  return variables['PATH'] ? variables : undefined;
}

function withoutShellsOwn(variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !ownToShell.has(name)));
}
