import type { Engine } from '../../../engine/engine.ts';
import type { SandboxMeans } from '../../../engine/sandbox/command-sandbox.ts';
import { plural } from '../../../engine/wording.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { FileSystemEntry, PermissionProfile } from '../../../protocol/permissions.ts';
import { printResult, tableSpans, wrapSentences } from '../../views/terminal/tables.ts';
import { green, red, type Span, yellow } from '../../views/terminal/styled-text.ts';
import { answerMark, judgeProbe, probeScript } from './probes.ts';
import type { ProbeAttempt, ProbeFinding, ProbeInput } from './probes.ts';
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';
import { join } from 'node:path';

/** Exit code 0 if everything holds that the policy promises. */
export async function checkSandbox(engine: Engine, { json }: { readonly json: boolean }): Promise<number | Outcome> {
  const lab = makeLab(engine.home);
  const doors = await openDoors(lab);
  try {
    const permissions = { profile: labProfile(lab) };
    const env = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' };
    const sandbox = await engine.openSandbox({ cwd: lab.workspace, permissions, env });
    if ('code' in sandbox) return sandbox;
    const means = await sandbox.means();
    if ('code' in means) return means;
    const input: ProbeInput = { ...lab, ...doors.input, enginePid: process.pid };
    const ended = await sandbox.capture([process.execPath, '-e', probeScript, JSON.stringify(input)]);
    if ('code' in ended) return ended;
    const attempts = readAttempts(ended.text);
    if (attempts === undefined) return noAnswer(ended.text);
    const tried = attempts.map((each) => withWhatArrived(each, doors));
    return showFindings(means, judgeProbe(means, [...tried, leftovers(lab, means)]), json);
  } finally {
    doors.close();
    // Not `rmSync`: it stops silently when a dying process removes a file of its own at the same time.
    await rm(lab.base, { recursive: true, force: true });
  }
}

type Lab = Pick<ProbeInput, 'workspace' | 'outside' | 'secret'> & { readonly base: string };

/** Makes the lab in the home, not in a temporary folder, which commands may write. */
function makeLab(home: string): Lab {
  mkdirSync(join(home, 'capstan'), { recursive: true, mode: 0o700 });
  const base = mkdtempSync(join(home, 'capstan/check-'));
  const at = (path: string): string => join(base, path);
  const lab = { base, workspace: at('workspace'), outside: at('outside'), secret: at('secret/key') };
  for (const folder of [at('workspace/.codex'), lab.outside, at('secret')])
    mkdirSync(folder, { recursive: true, mode: 0o755 });
  writeFileSync(at('workspace/.codex/config.toml'), '');
  writeFileSync(lab.secret, 'secret');
  return lab;
}

function labProfile({ workspace, base }: Lab): PermissionProfile {
  const entry = (path: string, access: FileSystemEntry['access']): FileSystemEntry => {
    return { path: { type: 'path', path }, access };
  };
  const entries = [entry('/', 'read'), entry(workspace, 'write'), entry(join(base, 'secret'), 'deny')];
  return { type: 'managed', file_system: { type: 'restricted', entries }, network: 'restricted' };
}

type Doors = Awaited<ReturnType<typeof openDoors>>;

async function openDoors({ outside }: Lab) {
  const arrived = new Set<string>();
  const listening = (name: string, options: ListenOptions) =>
    new Promise<Server | undefined>((resolve) => {
      const server = createServer((socket) => {
        arrived.add(name);
        socket.destroy();
      });
      server.on('error', () => resolve(undefined));
      server.listen(options, () => resolve(server));
    });
  const abstractSocket = `capstan-check-${process.pid}`;
  const servers = await Promise.all([
    listening('tcp', { port: 0, host: '127.0.0.1' }),
    listening('unix-socket', { path: join(outside, 'listener') }),
    process.platform === 'linux' ? listening('abstract-socket', { path: `\0${abstractSocket}` }) : undefined,
  ]);
  const datagrams = await new Promise<DatagramSocket>((resolve) => {
    const socket = createSocket('udp4', () => arrived.add('udp'));
    socket.bind(0, '127.0.0.1', () => resolve(socket));
  });
  const tcpPort = (servers[0]?.address() as AddressInfo | undefined)?.port ?? 0;
  return {
    input: { tcpPort, udpPort: datagrams.address().port, socket: join(outside, 'listener'), abstractSocket },
    arrived,
    close() {
      for (const server of servers) server?.close();
      datagrams.close();
    },
  };
}

/** A sent datagram counts only if it arrived: in a separate network it is lost. */
function withWhatArrived(attempt: ProbeAttempt, { arrived }: Doors): ProbeAttempt {
  const isLost = attempt.name === 'udp' && attempt.end === 'succeeded' && !arrived.has('udp');
  return isLost ? { ...attempt, end: 'failed', detail: 'it did not arrive' } : attempt;
}

function readAttempts(text: string): readonly ProbeAttempt[] | undefined {
  const line = text.split('\n').find((each) => each.startsWith(answerMark));
  return line === undefined ? undefined : (JSON.parse(line.slice(answerMark.length)) as readonly ProbeAttempt[]);
}

function leftovers({ base, workspace, outside }: Lab, { kind }: SandboxMeans): ProbeAttempt {
  const expected = ['.codex', 'link', 'made-inside', ...(kind === 'landlock' ? ['.git', 'moved'] : [])];
  const found = [
    ...readdirSync(workspace).filter((name) => !expected.includes(name)),
    ...readdirSync(outside).filter((name) => name !== 'listener'),
    ...((statSync(outside).mode & 0o777) === 0o755 ? [] : ['changed modes']),
    ...(existsSync(join(base, 'secret/key')) ? [] : ['no secret']),
  ];
  return found.length === 0
    ? { name: 'leftovers', end: 'failed', detail: 'nothing is left' }
    : { name: 'leftovers', end: 'succeeded', detail: found.join(', ') };
}

function noAnswer(text: string): Outcome {
  const [line = ''] = text.trim().split('\n').slice(-1);
  const message = `The probes did not run in the sandbox: ${line === '' ? 'they printed nothing' : line}.`;
  return { code: 'sandbox-unusable', message, next: 'Run `capstan sandbox -- true` to see whether it starts at all.' };
}

const states: Readonly<Record<ProbeFinding['state'], Span & object>> = {
  holds: green('holds'),
  broken: red('BROKEN'),
  lost: yellow('lost'),
  unknown: yellow('unknown'),
};

function showFindings(means: SandboxMeans, findings: readonly ProbeFinding[], json: boolean): number {
  const count = (wanted: ProbeFinding['state']): number => findings.filter(({ state }) => state === wanted).length;
  const [broken, unknown, lost] = [count('broken'), count('unknown'), count('lost')];
  printResult({ holds: broken === 0, means, findings }, { json, pretty: true }, (form) => {
    const rows = findings.map(({ what, state, detail }) => [what, states[state], detail]);
    const but = lost === 0 ? '' : `, but for ${plural(lost, 'promise')} that Landlock cannot keep`;
    const sum =
      broken === 0
        ? `Everything holds${but}${unknown === 0 ? '' : `, ${plural(unknown, 'attempt')} could not be made`}.`
        : `${plural(broken, 'promise')} of the policy ${broken === 1 ? 'does' : 'do'} not hold here. Do not rely on this sandbox.`;
    const rowSpans = tableSpans(rows, { width: form.width });
    return [wrapSentences(meansText(means), form), '\n', ...rowSpans, '\n', wrapSentences(sum, form)];
  });
  return broken === 0 ? 0 : 1;
}

function meansText({ kind, program, closesUserNamespaces, ownProcessTable }: SandboxMeans): string {
  const by = program === undefined ? kind : `${kind}, ${program}`;
  const less = [
    ...(closesUserNamespaces === false ? ['This bubblewrap cannot forbid user namespaces inside.'] : []),
    ...(ownProcessTable === false ? ['This system gives the sandbox no process table of its own.'] : []),
  ];
  return [`Commands are isolated by ${by}.`, ...less].join('\n');
}
