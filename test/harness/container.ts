import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** A world in which no process can create namespaces, as in most containers. */
export interface Container {
  readonly name: string;
  /** The kernel's answer to a process that tries. */
  readonly answer: 'ENOSPC' | 'EPERM';
  /** Why this machine cannot make it. Undefined: it can. */
  readonly problem: string | undefined;
  /** Words before a command that run it there. */
  readonly prefix: readonly string[];
}

const launcher = join(import.meta.dirname, 'forbid-namespaces.ts');

/**
 * A user namespace whose limit of namespaces is 0, without CAP_SYS_ADMIN; and a system-call filter that forbids to make
 * namespaces and mounts, as Docker's does.
 */
export const containers: readonly Container[] = [
  container('a user namespace in which no more can be made', 'ENOSPC', [
    'unshare',
    '--user',
    '--map-root-user',
    'sh',
    '-c',
    'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set -sys_admin --inh-caps -sys_admin -- "$@"',
    'sh',
  ]),
  container('a system-call filter that forbids namespaces', 'EPERM', [process.execPath, '--no-warnings', launcher]),
];

/** The second one on a kernel that has no Landlock either. */
export const withoutLandlock: Container = container('a filter that forbids namespaces and Landlock', 'EPERM', [
  process.execPath,
  '--no-warnings',
  launcher,
  '--without-landlock',
]);

function container(name: string, answer: Container['answer'], prefix: Container['prefix']): Container {
  let known: { readonly problem: string | undefined } | undefined;
  return {
    name,
    answer,
    prefix,
    get problem() {
      known ??= { problem: problemOf(prefix, answer) };
      return known.problem;
    },
  };
}

function problemOf(prefix: Container['prefix'], answer: Container['answer']): string | undefined {
  if (process.platform !== 'linux') return 'this is not Linux';
  const [program = '', ...words] = [...prefix, 'unshare', '--user', 'true'];
  const tried = spawnSync(program, words, { encoding: 'utf8', env: { PATH: process.env['PATH'], LC_ALL: 'C' } });
  const wanted = { ENOSPC: /No space left on device/, EPERM: /Operation not permitted/ }[answer];
  if (tried.status !== 0 && wanted.test(tried.stderr)) return undefined;
  return tried.error?.message ?? (tried.stderr.trim().split('\n').at(-1) || 'namespaces can be created in it');
}
