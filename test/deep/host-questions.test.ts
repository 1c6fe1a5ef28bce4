import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { AskUser } from '../../src/ports/ask-user.ts';
import type { Answer, Question } from '../../src/protocol/question.ts';
import { deadTurnNotice } from '../../src/engine/thread/turn/cut-off-turn.ts';
import { answer, callTool, say, type Script } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** One host is listed, and it is none of those that commands want. Loopback stands for the rest of the network. */
const config = (more = '') => `
default_permissions = "dev"
approval_policy = "on-request"
[permissions.dev]
extends = ":workspace"
[permissions.dev.network]
enabled = true
allow_local_binding = true
domains = { "listed.test" = "allow"${more} }
`;

const done = answer({ items: [say('Done.')] });
const runs = (cmd: string, more: { readonly timeout_ms?: number } = {}) =>
  answer({ items: [callTool('exec_command', { cmd, ...more })] });
/** Loopback is what commands reach directly, so the proxy has to be named. */
const curl = (address: string) => `curl -fsS -m 20 --noproxy '' -x http://127.0.0.1:3128 ${address}`;

async function site(): Promise<{ readonly port: number; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.headers.host} ${request.url}`);
    response.end('from outside\n');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => void server.close());
  return { port: (server.address() as AddressInfo).port, seen };
}

type Answering = (question: Question, signal: AbortSignal) => Answer | Promise<Answer>;

async function thread(script: Script, answering: Answering, more = '') {
  const asked: Question[] = [];
  const askUser: AskUser = {
    ask: async (question, signal) => {
      asked.push(question);
      return answering(question, signal);
    },
  };
  const live = await LiveThread.in(script, config(more));
  const open = () => live.open({}, { askUser });
  /** The text that the model reads of the last call before this request. */
  const output = (request: number) => String(textsOf(inputOf(live.model, request)).at(-1));
  const lines = () =>
    live.place.lines().flatMap(({ type, payload }) => {
      if (type === 'capstan_call') return payload['item'] === undefined ? [] : ['call'];
      if (type !== 'capstan_question') return [];
      const given = payload['answer'] as { readonly kind: string } | undefined;
      return [given === undefined ? 'question' : given.kind];
    });
  return { live, asked, open, output, lines };
}

const never = new Promise<Answer>(() => {});

test('a yes lets the connection that waits go on, in the same run of the command', async () => {
  const { port, seen } = await site();
  const script = [runs(`echo once >> ran; ${curl(`http://localhost:${port}/a`)}`), done];
  const { live, asked, open, output, lines } = await thread(script, () => {
    expect(seen).toEqual([]);
    return { kind: 'allowed' };
  });
  await open();
  await live.turn('go');
  const host = { name: 'localhost', port, protocol: 'http' };
  expect(asked).toMatchObject([{ kind: 'network', host, scopes: ['call', 'session'], tool: 'exec_command' }]);
  expect(asked[0]?.reason).toBe(
    `The command runs and waits to connect to localhost:${port}. No list allows this host at this port yet. No rule can be saved: rules do not name ports, and this one is unusual.`,
  );
  expect(seen).toEqual([`localhost:${port} /a`]);
  expect(output(1)).toContain('Process exited with code 0');
  expect(output(1)).toMatch(/Output:\nfrom outside\n$/);
  expect(readFileSync(join(live.place.workspace, 'ran'), 'utf8')).toBe('once\n');
  expect(lines()).toEqual(['call', 'question', 'allowed']);
});

test('a no refuses the connection, and the model reads who said it and why', async () => {
  const { port, seen } = await site();
  const { live, open, output, lines } = await thread([runs(curl(`http://localhost:${port}/a`)), done], () => ({
    kind: 'declined',
    note: 'Use the copy in vendor.',
  }));
  await open();
  await live.turn('go');
  expect(seen).toEqual([]);
  const note = `The command waited to connect to localhost:${port}, and the user did not allow that. The user says: Use the copy in vendor.`;
  expect(output(1).startsWith(`${note}\n`)).toBe(true);
  expect(output(1)).not.toContain('blocked by the policy');
  expect(lines()).toEqual(['call', 'question', 'declined']);
});

test('a yes for the session opens the host in later commands, also after a resume, and the text says so', async () => {
  const { port, seen } = await site();
  const script = [runs(curl(`http://localhost:${port}/a`)), done, runs(curl(`http://localhost:${port}/b`)), done];
  const { live, asked, open, output } = await thread([...script, ...script.slice(2)], () => ({
    kind: 'allowed',
    scope: 'session',
  }));
  await open();
  await live.turn('one');
  await live.turn('two');
  await open();
  await live.turn('three');
  expect(asked).toHaveLength(1);
  expect(seen).toHaveLength(3);
  expect(output(5)).toContain('from outside');
  const told = JSON.stringify(inputOf(live.model, 2));
  expect(told).toContain('Granted for this session, beyond the limits of the sandbox: connecting to: ');
  expect(told).toContain(`localhost:${port}`);
});

test('several hosts of one command are asked about one after another, and connections to one host join', async () => {
  const { port, seen } = await site();
  const other = await site();
  const wanted = [`localhost:${port}/a`, `localhost:${port}/b`, `127.0.0.1:${other.port}/c`];
  const all = wanted.map((address) => `${curl(`http://${address}`)} &`).join(' ');
  let open = 0;
  const { live, asked, ...more } = await thread([runs(`${all} wait`), done], async () => {
    expect(++open).toBe(1);
    await new Promise((next) => setTimeout(next, 100));
    open--;
    return { kind: 'allowed' };
  });
  await more.open();
  await live.turn('go');
  expect(asked.map(({ host }) => `${host?.name}:${host?.port}`).toSorted()).toEqual(
    [`127.0.0.1:${other.port}`, `localhost:${port}`].toSorted(),
  );
  expect(new Set(asked.map(({ id }) => id)).size).toBe(2);
  expect([seen.length, other.seen.length]).toEqual([2, 1]);
  expect(more.lines()).toEqual(['call', 'question', 'allowed', 'question', 'allowed']);
});

test('the time limit of the command stands still while its question waits', async () => {
  const { port } = await site();
  const script = [runs(curl(`http://localhost:${port}/a`), { timeout_ms: 4000 }), done];
  const { live, open, output } = await thread(script, async () => {
    await new Promise((next) => setTimeout(next, 5000));
    return { kind: 'allowed' };
  });
  await open();
  await live.turn('go');
  expect(output(1)).toContain('from outside');
});

test.each(['interrupt', 'close'] as const)(
  'the question lapses at an %s, and the call ends as any other',
  async (how) => {
    const { port, seen } = await site();
    const { promise: waits, resolve } = Promise.withResolvers<AbortSignal>();
    const { live, open, lines } = await thread([runs(curl(`http://localhost:${port}/a`)), done, done], (_, signal) => {
      resolve(signal);
      return never;
    });
    await open();
    const interrupt = new AbortController();
    const turn = live.turn('go', { signal: interrupt.signal });
    const signal = await waits;
    if (how === 'interrupt') interrupt.abort();
    else await live.close();
    expect(await turn).toMatchObject({ kind: 'aborted' });
    expect([signal.aborted, seen]).toEqual([true, []]);
    expect(lines()).toEqual(['call', 'question', 'lapsed']);
    const reopened = await open();
    expect(reopened.questions).toEqual([]);
    await live.turn('again');
    const who = how === 'interrupt' ? 'by user' : 'because the program that ran the turn was closing';
    expect(JSON.stringify(inputOf(live.model, 1))).toContain(`aborted ${who}`);
  },
);

test('the question lapses when the command is over', async () => {
  const { port } = await site();
  const fetching = `(${curl(`http://localhost:${port}/a`)} >/dev/null 2>&1 &)`;
  const command = `${fetching}; while [ ! -e asked ]; do sleep 0.05; done; echo over`;
  const { live, open, output, lines } = await thread([runs(command), done], () => {
    writeFileSync(join(live.place.workspace, 'asked'), '');
    return never;
  });
  await open();
  expect(await live.turn('go')).toMatchObject({ kind: 'completed' });
  expect(lines()).toEqual(['call', 'question', 'lapsed']);
  expect(output(1)).toContain(`to connect to localhost:${port}, and there was no answer.`);
  expect(output(1)).toContain('over\n');
});

test('a no that stops ends the turn', async () => {
  const { port } = await site();
  const { live, open, lines } = await thread([runs(curl(`http://localhost:${port}/a`))], () => ({ kind: 'stopped' }));
  await open();
  expect(await live.turn('go')).toMatchObject({ kind: 'aborted' });
  expect(lines()).toEqual(['call', 'question', 'stopped']);
});

test('without anyone to ask the host is refused at once, and the model reads which', async () => {
  const { port } = await site();
  const { live, output, lines } = await thread([runs(curl(`http://localhost:${port}/a`)), done], () => never);
  await live.open();
  await live.turn('go');
  expect(output(1)).toContain(`blocked by the policy: localhost:${port} (not on the allow list)`);
  expect(lines()).toEqual(['call']);
  expect(JSON.stringify(inputOf(live.model, 0))).toContain('Connections to any other host fail.');
});

test('a rule that asks holds a listed host back until there is an answer, and offers no rule', async () => {
  const { port, seen } = await site();
  const { live, asked, open } = await thread(
    [runs(curl(`http://localhost:${port}/a`)), done],
    () => ({ kind: 'allowed' }),
    ', "localhost" = "allow"',
  );
  mkdirSync(join(live.place.home, 'rules'), { recursive: true });
  writeFileSync(join(live.place.home, 'rules/x.rules'), 'network_rule("localhost", "http", "prompt")\n');
  await open();
  await live.turn('go');
  expect(asked).toMatchObject([{ kind: 'network', scopes: ['call', 'session'] }]);
  expect(asked[0]?.reason).toContain('A rule asks before this host is reached.');
  expect(seen).toHaveLength(1);
});

test('a rule that asks is asked about too where the user gave the network to one call', async () => {
  const { port, seen } = await site();
  const permissions = { sandbox_permissions: 'with_additional_permissions', justification: 'May I?' };
  const network = { ...permissions, additional_permissions: { network: { enabled: true } } };
  const cmd = curl(`http://localhost:${port}/a`);
  const live = await LiveThread.in(
    [answer({ items: [callTool('exec_command', { cmd, ...network })] }), done],
    'approval_policy = "on-request"\n',
  );
  mkdirSync(join(live.place.home, 'rules'), { recursive: true });
  writeFileSync(join(live.place.home, 'rules/x.rules'), 'network_rule("localhost", "http", "prompt")\n');
  const asked: Question[] = [];
  const askUser: AskUser = { ask: async (question) => (asked.push(question), { kind: 'allowed' }) };
  await live.open({}, { askUser });
  await live.turn('go');
  expect(asked.map(({ kind }) => kind)).toEqual(['command', 'network']);
  expect(asked[0]?.reason).toContain('including this machine and private networks. Rules still ask before localhost.');
  expect(asked[1]?.reason).toContain('A rule asks before this host is reached.');
  expect(seen).toHaveLength(1);
});

test('exec answers from a file while the command runs, and its events show the question', async () => {
  const { port, seen } = await site();
  const { live } = await thread([runs(curl(`http://localhost:${port}/a`)), done], () => never);
  const answers = join(live.place.root, 'answers.jsonl');
  writeFileSync(answers, '{"kind": "network", "decision": "approved"}\n');
  const { code, events, stderr } = await live.place.run('exec', '--json', '--approvals', answers, 'go');
  expect(code, stderr).toBe(0);
  expect(seen).toHaveLength(1);
  const about = events.filter(({ type }) => String(type).startsWith('question.'));
  expect(about).toMatchObject([
    { type: 'question.asked', question: { kind: 'network', host: { name: 'localhost', port } } },
    { type: 'question.answered', decision: 'approved' },
  ]);
});

test('a program that ends at a question about a host leaves a command whose outcome is unknown, and says so', async () => {
  const { port } = await site();
  const { live, asked, open } = await thread([runs(curl(`http://localhost:${port}/a`)), done], () => never);
  const opened = await open();
  void opened
    .run({ input: { author: 'user', text: 'go', images: [] }, signal: new AbortController().signal })
    .catch(() => {});
  await vi.waitUntil(() => asked.length === 1, { timeout: 20_000 });
  const said = deadTurnNotice(opened.id, opened.state);
  expect(said).toMatchObject({ code: 'turn-cut-off' });
  expect(said?.message).toContain('outcome unknown: exec_command `curl -fsS');
  expect(said?.message).toContain(
    `It waited for your answer whether it may connect to localhost:${port}; that question`,
  );
  // While the program lives, nothing was cut off.
  const shown = await live.place.run('threads', 'show', opened.id);
  expect(shown.stdout).not.toContain('cut off');
  await opened.close();
});

test('a host that an answer allowed for good is allowed at once under another policy, too', async () => {
  const gets = runs(curl('http://saved.invalid/'));
  const { live, asked, open } = await thread([gets, done, gets, done], () => ({ kind: 'allowed', scope: 'rule' }));
  await open();
  await live.turn('one');
  const granular = { sandbox_approval: true, rules: true, mcp_elicitations: true };
  expect(await live.thread.overrideTurnContext({ approvals: { granular: granular as never } })).toMatchObject({
    kind: 'changed',
  });
  await live.turn('two');
  expect(asked.map(({ host }) => host?.name)).toEqual(['saved.invalid']);
});
