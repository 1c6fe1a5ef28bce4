import { appendFileSync, chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { shellWords } from '../../src/protocol/shell-words.ts';
import { answer, callTool, hang, type RecordedRequest, say, type ScriptStep } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { type Scene, scene, textsOf } from '../harness/scene.ts';
import { requireTmux, TmuxShell } from '../harness/tmux.ts';
import { codexCommand } from '../oracles/codex.ts';
import { requireOracles } from '../oracles/require-oracles.ts';

// One script of keys for both programs: whoever has the keys of one in their hands ends in the same places in the other.

type Program = 'capstan' | 'codex';

/** Keys, and where both programs are then. A pause before Enter: right behind letters it counts as part of a paste. */
interface Step {
  readonly does: string;
  readonly keys: (shell: TmuxShell) => void | Promise<void>;
  readonly sees: Readonly<Record<Program, string | RegExp>> | string | RegExp;
  readonly where?: 'rows' | 'screen';
}

const pause = (milliseconds: number): Promise<void> => new Promise((over) => setTimeout(over, milliseconds));

async function send(shell: TmuxShell, words: string, key = 'Enter'): Promise<void> {
  shell.type(words);
  await pause(500);
  shell.press(key);
}

const press =
  (...keys: readonly string[]) =>
  (shell: TmuxShell): void =>
    shell.press(...keys);

/** In an idle conversation. */
const idleSteps: readonly Step[] = [
  { does: '/ lists the commands', keys: (shell) => shell.type('/'), sees: /^\W*\/model\b/m, where: 'screen' },
  { does: 'Ctrl+C clears the draft', keys: press('C-c'), sees: /› Ask (Capstan|Codex)/, where: 'screen' },
  { does: '? shows the keys', keys: (shell) => shell.type('?'), sees: /ctrl\+t|\^t/i, where: 'screen' },
  { does: 'Esc closes them', keys: press('Escape'), sees: /› Ask (Capstan|Codex)/, where: 'screen' },
  { does: 'Shift+Tab is plan mode', keys: press('BTab'), sees: /plan mode/i, where: 'screen' },
  { does: 'Shift+Tab again leaves it', keys: press('BTab'), sees: /› Ask (Capstan|Codex)/, where: 'screen' },
  {
    does: 'Ctrl+G opens the editor, and its text is the draft',
    keys: press('C-g'),
    sees: '› edited outside',
    where: 'screen',
  },
  { does: 'Ctrl+C clears it', keys: press('C-c'), sees: /› Ask (Capstan|Codex)/, where: 'screen' },
  {
    does: '! runs a command of the user',
    keys: (shell) => send(shell, '!echo shelled-$((40+2))'),
    sees: 'shelled-42',
  },
  { does: 'Ctrl+T is the transcript', keys: press('C-t'), sees: /transcript|T R A N S C R I P T/i, where: 'screen' },
  { does: 'q closes it', keys: (shell) => shell.type('q'), sees: /› Ask (Capstan|Codex)/, where: 'screen' },
];

const typed = / words$|^Work/;

/** Keys of which one of the two has a part only. Each is a step to move up when it has all of it. */
const notYet = ['Esc Esc rewinds', 'Ctrl+R searches', 'Ctrl+O copies', '@ lists files', '$ lists skills'] as const;

describe.each(['capstan', 'codex'] as const)('the keys of %s', (program) => {
  beforeAll(async () => {
    requireTmux();
    await requireOracles();
  }, 300_000);

  it('idle: commands, help, plan mode, editor, shell, transcript', async () => {
    const { shell } = await open(program, () => answer({ items: [say('ok')] }));
    for (const step of idleSteps) {
      await step.keys(shell);
      await sees(shell, step, program);
      await pause(300);
    }
    expect(notYet).toHaveLength(5);
  });

  it('Enter steers, Tab queues, Ctrl+C quits with a hint', async () => {
    const { shell, model } = await open(program, (texts, calls) => {
      if (texts.at(-1) === 'queued words') return answer({ items: [say('Second done.')] });
      if (calls > 0) return answer({ items: [say('First done.')] });
      return answer({ items: [callTool('exec_command', { cmd: 'sleep 4' })] });
    });
    await send(shell, 'Work.');
    await shell.sees(/sleep 4/, 'screen');
    await send(shell, 'steered words');
    await pause(300);
    await send(shell, 'queued words', 'Tab');
    await shell.sees('Second done.');
    const asked = turnRequests(model.requests).map((request) => wordsIn(request).filter((text) => typed.test(text)));
    const distinct = [...new Set(asked.map((texts) => texts.join(' | ')))];
    expect(distinct).toEqual(['Work.', 'Work. | steered words', 'Work. | steered words | queued words']);
    await pause(1000);
    shell.press('C-c');
    await pause(300);
    if (!/ resume [\w-]{36}/.test(shell.rows())) shell.press('C-c');
    await shell.sees(new RegExp(`${program} resume [\\w-]{36}`));
  });

  it('Esc interrupts', async () => {
    const { shell, model } = await open(program, () => hang({ afterBytes: 0, of: answer({ items: [say('never')] }) }));
    await send(shell, 'Work.');
    await shell.sees(/esc to interrupt/, 'screen');
    await model.request(0);
    await pause(1000);
    shell.press('Escape');
    await shell.sees(/interrupted/i);
    expect(turnRequests(model.requests)).toHaveLength(1);
  });

  it.each([
    ['y', 'Seen.', true],
    ['1', 'Seen.', true],
    ['n', /did not allow|canceled|not approved|declined|denied|interrupted/i, false],
  ])('%s answers a question', async (key, end, runs) => {
    const escalated = { cmd: 'echo out-$((1+1))', sandbox_permissions: 'require_escalated', justification: 'Why not.' };
    const { shell, model } = await open(program, (_, calls) =>
      calls > 0 ? answer({ items: [say('Seen.')] }) : answer({ items: [callTool('exec_command', escalated)] }),
    );
    await send(shell, 'Work.');
    await shell.sees(/1\. yes/i, 'screen');
    await pause(500);
    shell.type(key);
    await shell.sees(end);
    const last = JSON.stringify(turnRequests(model.requests).at(-1)!.body);
    expect(last.includes('out-2')).toBe(runs);
  });
});

interface Opened extends Scene {
  readonly shell: TmuxShell;
}

/** What the model does, by the words that a request ends with and the calls that are answered in it. */
type Plays = (texts: readonly string[], calls: number) => ScriptStep;

async function open(program: Program, plays: Plays): Promise<Opened> {
  const built = await scene(
    (request) => (isTurn(request) ? plays(wordsIn(request), callsIn(request)) : answer({ items: [say('A title')] })),
    'approval_policy = "on-request"\ncheck_for_update_on_startup = false\nanalytics.enabled = false\n',
  );
  const { place } = built;
  appendFileSync(join(place.home, 'config.toml'), codexTables(place));
  const editor = join(place.root, 'editor.sh');
  writeFileSync(editor, '#!/bin/sh\nprintf "edited outside" > "$1"\n');
  chmodSync(editor, 0o755);
  const shell = new TmuxShell(place, 110, 36);
  shell.run(`export EDITOR=${editor} VISUAL=${editor}`);
  if (program === 'capstan') shell.start();
  else {
    const { program: node, script, env } = codexCommand(place);
    const set = [`PATH=${env.PATH}`, `CODEX_HOME=${env.CODEX_HOME}`];
    shell.run(shellWords(['env', ...set, node, script, '--no-alt-screen', '--no-daemon']));
  }
  await shell.sees(program === 'capstan' ? 'Context 100% left' : /GPT-5\.5 .* · /i, 'screen');
  await pause(500);
  return { ...built, shell };
}

/** Nothing has to be answered before the conversation. */
function codexTables({ workspace }: Place): string {
  return `
[projects.${JSON.stringify(workspace)}]
trust_level = "trusted"
[tui]
screen_reader_detection_done = true
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
`;
}

async function sees(shell: TmuxShell, { does, sees: wanted, where }: Step, program: Program): Promise<void> {
  const words = typeof wanted === 'string' || wanted instanceof RegExp ? wanted : wanted[program];
  await shell.sees(words, where).catch((error: unknown) => {
    throw new Error(`${does}: ${(error as Error).message}`);
  });
}

/** Requests of the conversation have tools; one for a title has none. */
function isTurn({ body }: RecordedRequest): boolean {
  return JSON.stringify(body['tools'] ?? []).includes('exec_command');
}

function turnRequests(requests: readonly RecordedRequest[]): readonly RecordedRequest[] {
  return requests.filter(isTurn);
}

function itemsIn({ body }: RecordedRequest): readonly JsonObject[] {
  return body['input'] as unknown as readonly JsonObject[];
}

function wordsIn(request: RecordedRequest): readonly string[] {
  const users = itemsIn(request).filter(({ role }) => role === 'user');
  return textsOf(users).filter((text) => typeof text === 'string');
}

function callsIn(request: RecordedRequest): number {
  return itemsIn(request).filter(({ type }) => type === 'function_call_output').length;
}
