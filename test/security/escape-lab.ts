import { createSocket } from 'node:dgram';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import type { PermissionProfile } from '../../src/protocol/permissions.ts';
import { createTrial, rulesProfile } from '../harness/sandbox-trial.ts';

/** The output of an attempt that reached what it must not reach. */
export const escaped = 'ESCAPED';
const secretText = 'the secret of the laboratory';

/** A place to break out of: a writable workspace, what stands outside, a secret, listeners, and a process to hit. */
export async function createEscapeLab() {
  const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };
  const trial = createTrial({
    spawn: createNodeSpawn({ clock, runFolder: '/nowhere' }),
    programFiles: nodeProgramFiles,
    processes: processTable,
  });
  const { repo, sibling, home } = trial;
  const secret = join(home, 'secret');
  const arrived = new Set<string>();
  const servers = trial.isPossible ? await listen(arrived, sibling) : undefined;
  const signals: string[] = [];
  const onSignal = (signal: string): void => void signals.push(signal);
  for (const name of ['SIGUSR2', 'SIGWINCH'] as const) process.on(name, onSignal);

  const profile: PermissionProfile = rulesProfile([
    ['/', 'read'],
    [repo, 'write'],
    [secret, 'deny'],
  ]);
  const variables = (): Record<string, string> => ({
    REPO: repo,
    OUT: sibling,
    SECRET: join(secret, 'key'),
    ENGINE: String(process.pid),
    NODE: process.execPath,
    ...servers?.variables,
  });
  /** The state that must not change: names, contents, modes and times outside. */
  const outside = (): unknown =>
    readdirSync(sibling)
      .filter((name) => name !== 'listener')
      .map((name) => {
        const { mode, uid, mtimeMs, size } = statSync(join(sibling, name));
        return [name, mode, uid, mtimeMs, size, readFileSync(join(sibling, name), 'utf8')];
      });

  return {
    ...trial,
    profile,
    reset(): void {
      trial.reset();
      servers?.restart(sibling);
      mkdirSync(secret);
      writeFileSync(join(secret, 'key'), secretText);
      writeFileSync(join(sibling, 'file'), 'outside');
      mkdirSync(join(repo, '.codex'));
      writeFileSync(join(repo, '.codex/config.toml'), '');
    },
    outside,
    /** Runs the attempt and says everything that it reached. */
    async attempt(
      script: string,
      { profile: other = profile, env = {} }: { profile?: PermissionProfile; env?: Record<string, string> } = {},
    ) {
      const before = JSON.stringify(outside());
      arrived.clear();
      signals.length = 0;
      const { text, exitCode } = await trial.run(other, script, { env: { ...variables(), ...env } });
      const reached = [
        ...(text.includes(escaped) ? [escaped] : []),
        ...(text.includes(secretText) ? ['the secret'] : []),
        ...(JSON.stringify(outside()) === before ? [] : ['files outside']),
        ...(readFileSync(join(repo, '.codex/config.toml'), 'utf8') === '' ? [] : ['protected files']),
        ...arrived,
        ...signals,
      ];
      return { reached, text, exitCode };
    },
    async remove(): Promise<void> {
      for (const name of ['SIGUSR2', 'SIGWINCH'] as const) process.off(name, onSignal);
      servers?.close();
      trial.remove();
    },
  };
}

async function listen(arrived: Set<string>, sibling: string) {
  const start = (name: string, where: { readonly path: string } | { readonly port: number; readonly host: string }) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((socket) => {
        arrived.add(name);
        socket.on('error', () => {}).end();
      });
      server.on('error', reject);
      server.listen(where, () => resolve(server));
    });
  const abstract = `capstan-escape-${process.pid}`;
  const tcp = await start('TCP', { port: 0, host: '127.0.0.1' });
  const six = await start('TCP over IPv6', { port: 0, host: '::1' }).catch(() => undefined);
  const hidden = await start('an abstract socket', { path: `\0${abstract}` });
  const datagrams = createSocket('udp4', () => arrived.add('UDP'));
  await new Promise<void>((resolve) => void datagrams.bind(0, '127.0.0.1', () => resolve()));
  let named: Server | undefined;
  const port = (server: Server | undefined): string =>
    String((server?.address() as AddressInfo | undefined)?.port ?? 1);
  return {
    variables: {
      TCP: port(tcp),
      TCP6: port(six),
      UDP: String(datagrams.address().port),
      ABSTRACT: abstract,
      SOCKET: join(sibling, 'listener'),
    },
    /** The folder was made anew. */
    restart(folder: string) {
      named?.close();
      named = createServer((socket) => {
        arrived.add('a path socket');
        socket.on('error', () => {}).end();
      });
      named.listen(join(folder, 'listener'));
    },
    close() {
      for (const server of [tcp, six, hidden, named]) server?.close();
      datagrams.close();
    },
  };
}

const numbers = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  io_uring_setup: [425, 425],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  unshare: [272, 97],
  setns: [308, 268],
  pivot_root: [155, 41],
  mount: [165, 40],
  open_tree: [428, 428],
  fsopen: [430, 430],
  mount_setattr: [442, 442],
  open_by_handle_at: [304, 265],
  capset: [126, 91],
  setuid: [105, 146],
  setgroups: [116, 159],
  sethostname: [170, 161],
  settimeofday: [164, 170],
  swapon: [167, 224],
  acct: [163, 89],
  init_module: [175, 105],
  kexec_load: [246, 104],
  socket: [41, 198],
  setxattr: [188, 5],
  chroot: [161, 51],
  mknodat: [259, 33],
  syslog: [103, 116],
  iopl: [172, undefined],
} as const;

/** A script that makes a system call, and says that it escaped when the kernel let it. Undefined: not on this processor. */
export function systemCall(name: keyof typeof numbers, words: string): string {
  const number = numbers[name][process.arch === 'x64' ? 0 : 1];
  return number === undefined
    ? 'false'
    : `perl -e 'exit(syscall(${number}, ${words}) >= 0 ? 0 : 1)' && echo ${escaped}`;
}
