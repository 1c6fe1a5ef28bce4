import { beforeAll, describe, expect, it, vi } from 'vitest';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { requireTmux, type TmuxShell } from '../harness/tmux.ts';
import { requireOracles } from '../oracles/require-oracles.ts';
import { openProgram, pause, send, turnRequests, wordsIn } from './both-programs.ts';

// One script of keys for both programs: whoever has the keys of one in their hands ends in the same places in the other.

/** Keys, and where both programs are then. */
interface Step {
  readonly does: string;
  readonly keys: (shell: TmuxShell) => void | Promise<void>;
  readonly sees: string | RegExp;
  readonly where?: 'rows' | 'screen';
}

const press =
  (...keys: readonly string[]) =>
  (shell: TmuxShell): void =>
    shell.press(...keys);

/** In an idle conversation. */
const idleSteps: readonly Step[] = [
  { does: '/ lists the commands', keys: (shell) => shell.type('/'), sees: /^\W*\/model\b/m, where: 'screen' },
  { does: 'Ctrl+C clears the draft', keys: press('C-c'), sees: /› Ask (Capstan|Codex)/, where: 'screen' },
  {
    does: '/model lists models',
    keys: (shell) => send(shell, '/model'),
    sees: /Models of|Select Model/,
    where: 'screen',
  },
  {
    does: 'a digit chooses one, and its efforts are next',
    keys: (shell) => shell.type('1'),
    sees: /Effort of|Reasoning Level/,
    where: 'screen',
  },
  { does: 'Esc goes back to the models', keys: press('Escape'), sees: /Models of|Select Model/, where: 'screen' },
  { does: 'Esc closes them', keys: press('Escape'), sees: /› Ask (Capstan|Codex)/, where: 'screen' },
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

/** Behind two messages, `first words` and `second words`. */
const laterSteps: readonly Step[] = [
  { does: 'Ctrl+R opens the search', keys: press('C-r'), sees: 'reverse-i-search:', where: 'screen' },
  { does: 'a letter shows what it finds', keys: (shell) => shell.type('irst'), sees: /irst words/, where: 'screen' },
  { does: 'Enter takes it as a draft', keys: press('Enter'), sees: /› first words\n(?!.*reverse)/, where: 'screen' },
  { does: 'Ctrl+C clears it', keys: press('C-c'), sees: /› Ask (Capstan|Codex)/, where: 'screen' },
  {
    does: '@ lists files',
    keys: (shell) => shell.type('see @windm'),
    sees: /› windmill\.txt[^]*› see @windm|› see @windm[^]*› windmill\.txt/,
    where: 'screen',
  },
  { does: 'Tab inserts one', keys: press('Tab'), sees: /› see windmill\.txt$/m, where: 'screen' },
  { does: 'Ctrl+C clears it', keys: press('C-c'), sees: /› Ask (Capstan|Codex)/, where: 'screen' },
  { does: '$ lists skills', keys: (shell) => shell.type('use $gri'), sees: 'How to grind corn.', where: 'screen' },
  { does: 'Enter inserts one', keys: press('Enter'), sees: /› use \$grinding$/m, where: 'screen' },
  { does: 'Ctrl+C clears it', keys: press('C-c'), sees: /› Ask (Capstan|Codex)/, where: 'screen' },
  { does: 'Up recalls it', keys: press('Up'), sees: /› use \$grinding$/m, where: 'screen' },
  { does: 'Ctrl+C clears it', keys: press('C-c'), sees: /› Ask (Capstan|Codex)/, where: 'screen' },
  { does: 'Esc says what a second one does', keys: press('Escape'), sees: /esc again/i, where: 'screen' },
  { does: 'Esc Esc shows the messages', keys: press('Escape'), sees: /rewind|go back/i, where: 'screen' },
  { does: 'Left goes to an older one', keys: press('Left'), sees: /first words/, where: 'screen' },
  {
    does: 'Enter brings it back as a draft',
    keys: press('Enter'),
    sees: /(reverted|as it was before)[^]*› first words$/m,
    where: 'screen',
  },
  // Codex clears the screen, Capstan draws it again: it never clears what the user may want to read.
  { does: 'Ctrl+L leaves the draft', keys: press('C-l'), sees: /› first words$/m, where: 'screen' },
];

const typed = / words( again)?$|^Work/;

describe.each(['capstan', 'codex'] as const)('the keys of %s', (program) => {
  beforeAll(async () => {
    requireTmux();
    await requireOracles();
  }, 300_000);

  it('idle: commands, help, plan mode, editor, shell, transcript', async () => {
    const { shell } = await openProgram(program, () => answer({ items: [say('ok')] }));
    await walk(shell, idleSteps);
    expect(shell.rows()).toContain('shelled-42');
  });

  it('later: search, mentions, copy, an earlier message again', async () => {
    const { shell, model } = await openProgram(program, (texts) => answer({ items: [say(`Read ${texts.at(-1)}.`)] }));
    for (const words of ['first words', 'second words']) {
      await send(shell, words);
      await shell.sees(`Read ${words}.`);
      await shell.sees(/› Ask (Capstan|Codex)/, 'screen');
      await pause(500);
    }
    shell.press('C-o');
    // Codex hands the text to the terminal around tmux, and cannot know whether that took it.
    if (program === 'codex') await shell.sees('Copy unconfirmed', 'screen');
    else await vi.waitUntil(() => shell.copied() === 'Read second words.', { timeout: 20_000 });
    await walk(shell, laterSteps);
    await send(shell, ' again');
    await shell.sees('Read first words again.');
    expect(typedIn(turnRequests(model.requests))).toEqual([
      'first words',
      'first words | second words',
      'first words again',
    ]);
  });

  it('Enter steers, Tab queues, Ctrl+C quits with a hint', async () => {
    const { shell, model } = await openProgram(program, (texts, calls) => {
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
    expect(typedIn(turnRequests(model.requests))).toEqual([
      'Work.',
      'Work. | steered words',
      'Work. | steered words | queued words',
    ]);
    await pause(1000);
    shell.press('C-c');
    await pause(300);
    if (!/ resume [\w-]{36}/.test(shell.rows())) shell.press('C-c');
    await shell.sees(new RegExp(`${program} resume [\\w-]{36}`));
  });

  it('Esc interrupts', async () => {
    const { shell, model } = await openProgram(program, () =>
      hang({ afterBytes: 0, of: answer({ items: [say('never')] }) }),
    );
    await send(shell, 'Work.');
    await shell.sees(/esc to interrupt/, 'screen');
    await model.request(0);
    await pause(1000);
    shell.press('Escape');
    await shell.sees(/interrupted/i);
    expect(turnRequests(model.requests)).toHaveLength(1);
  });

  it.each([
    ['y', 'Seen.', 'ran'],
    ['1', 'Seen.', 'ran'],
    // A no ends the turn in Codex; in Capstan the model reads it, and Esc ends the turn.
    ['n', /did not allow|interrupted/i, 'refused'],
    ['Escape', /interrupted/i, 'refused'],
  ])('%s answers a question', async (key, end, ends) => {
    const escalated = { cmd: 'echo out-$((1+1))', sandbox_permissions: 'require_escalated', justification: 'Why not.' };
    const { shell, model } = await openProgram(program, (_, calls) =>
      calls > 0 ? answer({ items: [say('Seen.')] }) : answer({ items: [callTool('exec_command', escalated)] }),
    );
    await send(shell, 'Work.');
    await shell.sees(/1\. yes/i, 'screen');
    await shell.answer(key);
    await shell.sees(end);
    const last = JSON.stringify(turnRequests(model.requests).at(-1)!.body);
    expect(last.includes('out-2')).toBe(ends === 'ran');
  });

  it('p saves a rule: the next such command is not asked about', async () => {
    const echo = (name: string) => ({
      cmd: `echo told ${name}`,
      sandbox_permissions: 'require_escalated',
      justification: 'Why not.',
      prefix_rule: ['echo', 'told'],
    });
    const { shell, model } = await openProgram(program, (_, calls) => {
      if (calls > 1) return answer({ items: [say('Both there.')] });
      return answer({ items: [callTool('exec_command', echo(calls === 0 ? 'one' : 'two'))] });
    });
    await send(shell, 'Work.');
    await shell.sees(/start with `echo told`|that begin with \["echo","told"\]/i, 'screen');
    await shell.answer('p');
    await shell.sees('Both there.');
    expect(JSON.stringify(turnRequests(model.requests).at(-1)!.body)).toContain('told two');
  });

  it('a allows changes of a file for the session: the next one is not asked about', async () => {
    const patch = (from: string, to: string) =>
      `*** Begin Patch\n*** Update File: windmill.txt\n@@\n-${from}\n+${to}\n*** End Patch\n`;
    const { shell } = await openProgram(
      program,
      (_, calls) => {
        if (calls > 1) return answer({ items: [say('Both done.')] });
        const input = calls === 0 ? patch('sails', 'wings') : patch('wings', 'arms');
        return answer({ items: [{ type: 'custom_tool_call', name: 'apply_patch', input }] });
      },
      'read-only',
    );
    await send(shell, 'Work.');
    await shell.sees(/1\. yes/i, 'screen');
    await shell.answer('a');
    await shell.sees('Both done.');
    expect(shell.rows()).toContain('arms');
  });
});

async function walk(shell: TmuxShell, steps: readonly Step[]): Promise<void> {
  for (const { does, keys, sees, where } of steps) {
    await keys(shell);
    await shell.sees(sees, where).catch((error: unknown) => {
      throw new Error(`${does}: ${(error as Error).message}`);
    });
    await pause(300);
  }
}

/** The words that the user has typed, in each request that has other words than the one before. */
function typedIn(requests: ReturnType<typeof turnRequests>): readonly string[] {
  const said = requests.map((request) => wordsIn(request).filter((text) => typed.test(text)));
  return [...new Set(said.map((texts) => texts.join(' | ')))];
}
