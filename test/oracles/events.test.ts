import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import {
  answer,
  callTool,
  cutAfter,
  failed,
  httpError,
  incomplete,
  malformed,
  reason,
  say,
  type Script,
} from '../../src/testing/index.ts';
import { checkpointText } from '../compaction/summariser.ts';
import { startCodex } from './codex.ts';
import { comparable, kindsOf, sideBySide, unordered } from './events.ts';
import { scene, startCapstan } from './scene.ts';

const run = (...commands: readonly string[]) =>
  answer({ items: commands.map((cmd) => callTool('exec_command', { cmd })) });
const done = answer({ items: [say('Done.')] });
const refusal = (status: number) => httpError({ status, body: { error: { message: 'no' } } });
const always = <Step>(step: Step) => Array.from({ length: 8 }, () => step);

const alike: Readonly<Record<string, Script>> = {
  'a plain answer': [answer({ items: [say('Hello.')] })],
  'an answer in pieces': [answer({ items: [reason('Think.'), say('Hello there.')], deltas: true, chunkBytes: 7 })],
  'reasoning and an answer': [answer({ items: [reason('**Think** hard.'), say('Hello.')] })],
  'reasoning without a summary': [answer({ items: [{ type: 'reasoning', summary: [] }, say('Hello.')] })],
  'several messages': [answer({ items: [say('Hello.'), say('And good day.')] })],
  'no answer at all': [answer({ items: [] })],
  'a command that succeeds': [run('echo out; echo more'), done],
  'a command that fails': [run('echo no >&2; exit 7'), done],
  'a command that says nothing': [run('true'), done],
  'a command that does not exist': [run('no-such-program'), done],
  'a command that is killed': [run('kill -9 $$'), done],
  'two commands, one after the other': [run('echo a'), run('echo b'), done],
  'a remark and a command': [answer({ items: [say('I look.'), callTool('exec_command', { cmd: 'echo a' })] }), done],
  'a tool that does not exist': [answer({ items: [callTool('no_such_tool', {})] }), done],
  'arguments that are no JSON': [answer({ items: [callTool('exec_command', '{"cmd":')] }), done],
  'a request that the provider refuses': [refusal(400)],
  'a provider that recovers': [refusal(500), done],
  'a provider that does not recover': always(refusal(500)),
  'a stream that fails, then succeeds': [failed({ code: 'server_error', message: 'oops' }), done],
  'a stream that always fails': always(failed({ code: 'server_error', message: 'oops' })),
  'a stream that breaks': [cutAfter({ bytes: 200, of: done }), done],
  'an answer that is cut short': [incomplete({ reason: 'max_output_tokens', items: [say('Hel')] })],
  'an event that is no JSON': [malformed()],
};

describe('the same script gives the same events, exit code and number of requests', () => {
  it.each(Object.entries(alike))('%s', async (_, script) => {
    const { codex, capstan } = await sideBySide(script);
    expect(comparable(capstan)).toEqual(comparable(codex));
  });

  it('two commands side by side, in any order', async () => {
    const { codex, capstan } = await sideBySide([run('echo a', 'sleep 0.3; echo b'), done]);
    expect(unordered(capstan)).toEqual(unordered(codex));
  });

  it('a command with quotes, spelled so that a shell reads the same from it', async () => {
    const script = `printf '%s' "it's" $HOME 'a b' "$(echo \\$)" <<< 'x'`;
    const { codex, capstan } = await sideBySide([run(script), done]);
    const read = [codex, capstan].map(({ events }) => {
      const item = events.find(({ type }) => type === 'item.started')?.['item'] as JsonObject;
      return execFileSync('sh', ['-c', 'eval "set -- $1"; printf %s "$3"', 'sh', String(item['command'])]).toString();
    });
    expect(read).toEqual([script, script]);
  });
});

const command = ['item.started command_execution', 'item.completed command_execution'] as const;

/** Events that differ on purpose: what each program shows, and why. */
const differences = [
  {
    name: 'a key that is not accepted',
    why: 'status 401 is final: another try with the same key cannot do better',
    script: [refusal(401), done],
    codex: { code: 0, kinds: ['error', 'item.completed agent_message', 'turn.completed'] },
    capstan: { code: 1, kinds: ['error', 'turn.failed'] },
  },
  {
    name: 'too many requests',
    why: 'status 429 passes: it is tried again like every failure that a wait may heal',
    script: [refusal(429), done],
    codex: { code: 1, kinds: ['error', 'turn.failed'] },
    capstan: { code: 0, kinds: ['error', 'item.completed agent_message', 'turn.completed'] },
  },
  {
    name: 'a history that is too long',
    why: 'the same turn makes room and asks again',
    script: [
      run('seq 1 2000'),
      failed({ code: 'context_length_exceeded', message: 'too long' }),
      answer({ items: [say(checkpointText('go', ['go']))] }),
      done,
    ],
    codex: { code: 1, kinds: [...command, 'error', 'turn.failed'] },
    capstan: { code: 0, kinds: [...command, 'item.completed agent_message', 'turn.completed'] },
  },
] as const;

describe('events that differ on purpose', () => {
  it.each(differences)('$name: $why', async ({ script, codex, capstan }) => {
    const shown = await sideBySide(script);
    const begin = ['thread.started', 'turn.started'];
    expect([shown.codex.code, kindsOf(shown.codex)]).toEqual([codex.code, [...begin, ...codex.kinds]]);
    expect([shown.capstan.code, kindsOf(shown.capstan)]).toEqual([capstan.code, [...begin, ...capstan.kinds]]);
  });

  it('an interrupt: every item that began ends, and so does the turn, and the process ends by the signal; Codex falls silent', async () => {
    const [theirs, ours] = await Promise.all([scene([run('sleep 20')]), scene([run('sleep 20')])]);
    const shows = [startCodex(theirs.place, 'go'), startCapstan(ours.place, 'go')].map(async (running) => {
      await running.printed('item.started');
      running.child.kill('SIGINT');
      const { code, signal, events } = await running.finished;
      return [code ?? signal, kindsOf({ events })];
    });
    const begin = ['thread.started', 'turn.started', 'item.started command_execution'];
    expect(await Promise.all(shows)).toEqual([
      [1, begin],
      ['SIGINT', [...begin, 'item.completed command_execution', 'error', 'turn.failed']],
    ]);
  });
});
