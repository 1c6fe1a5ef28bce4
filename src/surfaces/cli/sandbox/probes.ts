import type { SandboxMeans } from '../../../engine/sandbox/command-sandbox.ts';

export interface ProbeInput {
  readonly workspace: string;
  readonly outside: string;
  readonly secret: string;
  readonly enginePid: number;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly socket: string;
  readonly abstractSocket: string;
}

export interface ProbeAttempt {
  readonly name: ProbeName;
  readonly end: 'succeeded' | 'failed' | 'skipped';
  readonly detail: string;
}

/** Precedes the answer: other output of programs is ignored. */
export const answerMark = 'capstan-probes:';

/** The program that makes the attempts, in its own Node inside the sandbox. Prints one line of JSON after the mark. */
export const probeScript = String.raw`
const fs = require('node:fs'), net = require('node:net'), dgram = require('node:dgram');
const { spawnSync } = require('node:child_process');
const input = JSON.parse(process.argv[1]);
const results = [];
const told = (name, end, detail) => results.push({ name, end, detail: String(detail).slice(0, 200) });
function attempt(name, act) {
  try { told(name, 'succeeded', act() ?? ''); } catch (error) { told(name, 'failed', error.code ?? error.message); }
}
function program(name, file, words) {
  const { status, error, stderr } = spawnSync(file, words, { encoding: 'utf8', timeout: 5000 });
  if (error?.code === 'ENOENT') return told(name, 'skipped', file + ' is not installed');
  told(name, status === 0 ? 'succeeded' : 'failed', (stderr ?? '').trim().split('\n')[0]);
}
function connect(name, options) {
  return new Promise((resolve) => {
    const done = (end, detail) => { told(name, end, detail); socket?.destroy(); resolve(); };
    let socket;
    try {
      socket = net.connect(options);
      socket.on('connect', () => done('succeeded', ''));
      socket.on('error', (error) => done('failed', error.code));
      setTimeout(() => done('failed', 'no answer'), 1500).unref();
    } catch (error) { done('failed', error.code ?? error.message); }
  });
}
(async () => {
  attempt('write-inside', () => fs.writeFileSync(input.workspace + '/made-inside', 'x'));
  attempt('write-outside', () => fs.writeFileSync(input.outside + '/made-outside', 'x'));
  attempt('change-outside', () => fs.chmodSync(input.outside, 0o777));
  attempt('make-protected', () => fs.mkdirSync(input.workspace + '/.git'));
  attempt('change-protected', () => fs.writeFileSync(input.workspace + '/.codex/config.toml', 'x'));
  attempt('move-protected', () => fs.renameSync(input.workspace + '/.codex', input.workspace + '/moved'));
  attempt('link-outside', () => { fs.symlinkSync(input.outside, input.workspace + '/link'); fs.writeFileSync(input.workspace + '/link/made-outside', 'x'); });
  attempt('read-denied', () => fs.readFileSync(input.secret));
  attempt('list-denied', () => fs.readdirSync(require('node:path').dirname(input.secret)).length || (() => { throw new Error('empty'); })());
  await connect('tcp', { host: '127.0.0.1', port: input.tcpPort });
  await new Promise((resolve) => {
    try {
      const socket = dgram.createSocket('udp4');
      socket.on('error', (error) => { told('udp', 'failed', error.code); resolve(); });
      socket.send('x', input.udpPort, '127.0.0.1', (error) => { told('udp', error ? 'failed' : 'succeeded', error?.code ?? ''); socket.close(); resolve(); });
    } catch (error) { told('udp', 'failed', error.code ?? error.message); resolve(); }
  });
  await connect('unix-socket', { path: input.socket });
  await connect('abstract-socket', { path: '\0' + input.abstractSocket });
  attempt('signal-parent', () => process.kill(input.enginePid, 0));
  attempt('see-parent', () => fs.readlinkSync('/proc/' + input.enginePid + '/exe'));
  attempt('parent-environment', () => fs.readFileSync('/proc/' + input.enginePid + '/environ'));
  attempt('parent-descriptors', () => fs.readdirSync('/proc/' + input.enginePid + '/fd'));
  attempt('first-root', () => fs.writeFileSync('/proc/1/root' + input.outside + '/made-outside', 'x'));
  attempt('own-root', () => fs.writeFileSync('/proc/self/root' + input.outside + '/made-outside', 'x'));
  attempt('kernel-settings', () => fs.closeSync(fs.openSync('/proc/sys/kernel/core_pattern', 'r+')));
  attempt('control-groups', () => fs.mkdirSync('/sys/fs/cgroup/capstan-probe'));
  program('user-namespace', 'unshare', ['--user', 'true']);
  program('mount', 'mount', ['-t', 'tmpfs', 'none', input.workspace]);
  const call = { x64: 101, arm64: 117 }[process.arch];
  program('ptrace', 'perl', ['-e', 'exit(syscall(' + call + ', 16, ' + process.pid + ', 0, 0) == 0 ? 0 : 1)']);
  attempt('privileges', () => {
    const status = fs.readFileSync('/proc/self/status', 'utf8');
    const has = (text) => status.includes(text);
    if (!has('NoNewPrivs:\t1')) return 'privileges can be gained';
    if (!has('CapEff:\t0000000000000000')) return 'capabilities are left';
    throw new Error('no capabilities');
  });
  console.log('${answerMark}' + JSON.stringify(results));
  process.exit(0);
})();
`;

/** A promise of the lab's policy: that an attempt works, or that it fails. */
interface Probe {
  readonly what: string;
  readonly promise: 'works' | 'fails';
  /** Only a recent bubblewrap can keep it. */
  readonly needs?: 'closed-namespaces';
  /** Landlock cannot keep it, and the user agreed to that. */
  readonly lostWith?: 'landlock';
}

export const probes = {
  'write-inside': { what: 'Write in the workspace', promise: 'works' },
  'write-outside': { what: 'Write outside of it', promise: 'fails' },
  'change-outside': { what: 'Change modes outside', promise: 'fails' },
  'link-outside': { what: 'Write outside through a link', promise: 'fails' },
  'make-protected': { what: 'Create a missing .git', promise: 'fails', lostWith: 'landlock' },
  'change-protected': { what: 'Change .codex', promise: 'fails', lostWith: 'landlock' },
  'move-protected': { what: 'Move .codex away', promise: 'fails', lostWith: 'landlock' },
  'read-denied': { what: 'Read a denied file', promise: 'fails' },
  'list-denied': { what: 'List a denied folder', promise: 'fails' },
  tcp: { what: 'Connect to a TCP port', promise: 'fails' },
  udp: { what: 'Send to a UDP port', promise: 'fails' },
  'unix-socket': { what: 'Connect to a unix socket', promise: 'fails' },
  'abstract-socket': { what: 'Connect to an abstract socket', promise: 'fails' },
  'signal-parent': { what: 'Signal Capstan', promise: 'fails' },
  'see-parent': { what: 'See the program of Capstan', promise: 'fails' },
  'parent-environment': { what: 'Read the variables of Capstan', promise: 'fails' },
  'parent-descriptors': { what: 'List the open files of Capstan', promise: 'fails', lostWith: 'landlock' },
  'first-root': { what: 'Write through /proc/1/root', promise: 'fails' },
  'own-root': { what: 'Write through /proc/self/root', promise: 'fails' },
  'kernel-settings': { what: 'Open a kernel setting for writing', promise: 'fails' },
  'control-groups': { what: 'Create a control group', promise: 'fails' },
  'user-namespace': { what: 'Create a user namespace', promise: 'fails', needs: 'closed-namespaces' },
  mount: { what: 'Mount a file system', promise: 'fails' },
  ptrace: { what: 'Trace a process', promise: 'fails' },
  privileges: { what: 'Keep or gain privileges', promise: 'fails' },
  leftovers: { what: 'Leave files behind', promise: 'fails' },
} as const satisfies Readonly<Record<string, Probe>>;

export type ProbeName = keyof typeof probes;

export interface ProbeFinding {
  readonly name: ProbeName;
  readonly what: string;
  /** `lost`: does not hold, as the user agreed. `unknown`: the attempt could not be made. */
  readonly state: 'holds' | 'broken' | 'lost' | 'unknown';
  readonly detail: string;
}

const notTried = { end: 'skipped', detail: 'not tried' } as const;

/** Compares the attempt with the promise. A missing attempt was never made: its state is unknown. */
export const judgeProbe = (
  means: Pick<SandboxMeans, 'kind' | 'closesUserNamespaces'>,
  attempts: readonly ProbeAttempt[],
): readonly ProbeFinding[] =>
  (Object.entries(probes) as [ProbeName, Probe][]).map(([name, { what, promise, needs, lostWith }]) => {
    const { end, detail: said } = attempts.find((each) => each.name === name) ?? notTried;
    if (needs !== undefined && means.closesUserNamespaces !== true && end === 'succeeded')
      return { name, what, state: 'unknown', detail: 'works: not forbidden here' };
    if (lostWith === means.kind && end === 'succeeded')
      return { name, what, state: 'lost', detail: 'works: Landlock cannot protect it' };
    const state = end === 'skipped' ? 'unknown' : (end === 'succeeded') === (promise === 'works') ? 'holds' : 'broken';
    const verb = end === 'succeeded' ? 'works' : end === 'failed' ? 'refused' : 'not checked';
    return { name, what, state, detail: said === '' ? verb : `${verb}: ${said}` };
  });
