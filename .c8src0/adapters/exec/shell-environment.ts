import { withLoginShell } from '../../core/policy/environment/shell-environment-policy.ts';
import type { ShellEnvironment } from '../../ports/commands.ts';
import type { LoginShell, LoginShellOptions } from './login-shell/login-shell.ts';
import { commandMarkVariable } from './leftover-processes.ts';

export interface ShellEnvironmentOptions extends Pick<LoginShellOptions, 'env'> {
  /** Absent: no login shell is asked. */
  readonly loginShell?: Omit<LoginShellOptions, 'env'>;
}

/** Variables for each thread. Threads with the same options for the login shell share one answer. */
export function createShellEnvironments(env: ShellEnvironmentOptions['env']) {
  const made = new Map<string, ShellEnvironment>();
  return (loginShell: ShellEnvironmentOptions['loginShell']): ShellEnvironment => {
    const key = JSON.stringify(loginShell) ?? '';
    const environment = made.get(key) ?? createShellEnvironment({ env, loginShell });
    made.set(key, environment);
    return environment;
  };
}

/** Variables about a shell itself, and the mark of a command: they describe this process, not its commands. */
const ownToProcess = new Set(['SHLVL', '_', 'PWD', 'OLDPWD', commandMarkVariable]);

export function createShellEnvironment({ env, loginShell }: ShellEnvironmentOptions): ShellEnvironment {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => !ownToProcess.has(name)));
  let asked: Promise<LoginShell> | undefined;
  return {
    async variables(request) {
      if (loginShell === undefined) return own;
      // Loaded on use: many turns run no command.
      asked ??= import('./login-shell/login-shell.ts').then((module) => new module.LoginShell({ ...loginShell, env }));
      const added = await (await asked).variables(request);
      return added === undefined ? own : withLoginShell(own, added);
    },
  };
}
