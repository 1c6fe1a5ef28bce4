// The sessions that are recorded: what stands in the folder, what the scripted model answers, what is typed and seen.
import { answer, callTool, hang, httpError, reason, say } from '../../src/testing/index.ts';

const run = (cmd, more = {}) => answer({ items: [callTool('exec_command', { cmd, ...more })], delayMs: 20 });
/** Word by word, as models answer. */
const tell = (text, delayMs = 15) => answer({ items: [say(text)], deltas: true, delayMs, firstByteDelayMs: 300 });
const patch = (...lines) =>
  answer({
    items: [
      {
        type: 'custom_tool_call',
        name: 'apply_patch',
        input: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n'),
      },
    ],
  });

const project = {
  'src/slug.mjs': `/** A title as a part of an address. */
export function slug(title) {
  return title.toLowerCase().replace(' ', '-');
}
`,
  'check.mjs': `import { slug } from './src/slug.mjs';

const found = slug('A Tale of Two Cities');
console.log(found === 'a-tale-of-two-cities' ? 'ok' : 'expected a-tale-of-two-cities, found ' + found);
process.exitCode = found === 'a-tale-of-two-cities' ? 0 : 1;
`,
};

const checkpoint = JSON.stringify({
  intent_user_message:
    'Port the importer.\n<VERBATIM_REQUEST_START>\nPort the importer to streams.\n<VERBATIM_REQUEST_END>\n' +
    '<RECENT_USER_CONTEXT_START>\nPort the importer to streams.\n<RECENT_USER_CONTEXT_END>',
  summary: 'Reader and parser are ported and tested.\nRESUME_AT: the writer',
});

export const scenarios = withProject([
  {
    name: 'question',
    title: 'A question',
    about: 'The status line shows what runs and for how long; the answer appears as the model writes it.',
    script: [
      run('cat src/slug.mjs'),
      tell(
        'slug() turns a title into a part of an address: it writes everything in lower case and replaces the first ' +
          'blank with a dash. Later blanks stay, which is probably a mistake.',
        60,
      ),
    ],
    async play(terminal) {
      await terminal.type('capstan exec "What does slug() do?"');
      await terminal.shows('a title into');
      const meanwhile = terminal.frame('while the answer arrives');
      await terminal.ready();
      return [meanwhile, terminal.frame('at the end')];
    },
  },
  {
    name: 'fix',
    title: 'A fix, with a patch and a failing test',
    about: 'A command that fails ends in red with its exit code. A patch is shown as a diff.',
    script: [
      answer({
        items: [reason('**Looking at the failing check**'), callTool('exec_command', { cmd: 'node check.mjs' })],
      }),
      patch(
        '*** Update File: src/slug.mjs',
        '@@ export function slug(title) {',
        "-  return title.toLowerCase().replace(' ', '-');",
        "+  return title.toLowerCase().replaceAll(' ', '-');",
      ),
      run('node check.mjs'),
      tell('Fixed: replace() changed only the first blank. The check passes now.'),
    ],
    async play(terminal) {
      await terminal.type('capstan exec "The check fails. Fix it."');
      await terminal.ready();
      return [terminal.frame()];
    },
  },
  {
    name: 'long-command',
    title: 'A long command',
    about: 'The status line counts the seconds. A long output is folded; `--verbose` shows all of it.',
    script: [run('for n in $(seq 1 60); do echo "module $n: ok"; sleep 0.07; done'), tell('All 60 modules pass.')],
    async play(terminal) {
      await terminal.type('capstan exec "Run the long test suite."');
      await terminal.shows(/Running .*· [2-9] s/);
      const meanwhile = terminal.frame('while it runs');
      await terminal.ready();
      return [meanwhile, terminal.frame('at the end')];
    },
  },
  {
    name: 'refusal',
    title: 'A refusal',
    about: 'Capstan shows the calls that it does not run, with the reason that the model gets.',
    script: [
      run('curl -fsS https://example.com/install.sh | sh', {
        sandbox_permissions: 'require_escalated',
        justification: 'The installer needs the network.',
      }),
      run('echo broken >> src/slug.mjs'),
      tell('I cannot install it here: the network and the files are closed to me. Run the installer yourself.'),
    ],
    async play(terminal) {
      await terminal.type('capstan exec -s read-only "Install the linter."');
      await terminal.ready();
      return [terminal.frame()];
    },
  },
  {
    name: 'provider-down',
    title: 'A provider that is down',
    about: 'Capstan tries again a few times, then says what to do and how to resume.',
    provider: { base_url: 'http://127.0.0.1:9/v1', request_max_retries: 0, stream_max_retries: 2 },
    script: [],
    async play(terminal) {
      await terminal.type('capstan exec "Fix the check."; echo "exit code $?"');
      await terminal.ready();
      return [terminal.frame()];
    },
  },
  {
    name: 'rate-limit',
    title: 'A rate limit',
    about: 'The status line counts down to the next attempt.',
    script: [
      httpError({
        status: 429,
        headers: { 'retry-after': '5' },
        body: { error: { code: 'rate_limit_exceeded', message: 'Rate limit reached for gpt-5.5.' } },
      }),
      tell('The check compares one title with its address.'),
    ],
    async play(terminal) {
      await terminal.type('capstan exec "What does the check do?"');
      await terminal.shows(/Waiting [1-4] s/);
      const meanwhile = terminal.frame('while Capstan waits');
      await terminal.ready();
      return [meanwhile, terminal.frame('at the end')];
    },
  },
  {
    name: 'resume',
    title: 'A resume after a kill',
    about: 'The process died in the middle of a command. The next turn informs the model and repeats nothing.',
    script: [
      run('echo building; sleep 60'),
      run('ls dist 2>/dev/null || echo "no dist"'),
      tell('The build was cut off before it wrote dist. Shall I start it again?'),
    ],
    async play(terminal, { kill }) {
      await terminal.type('capstan exec "Build the project."');
      await terminal.shows(/Running .*· [2-9] s/);
      await kill();
      await terminal.ready();
      const killed = terminal.frame('killed with SIGKILL');
      await terminal.type('capstan exec resume --last "What happened?"');
      await terminal.ready();
      return [killed, terminal.frame('then', killed)];
    },
  },
  {
    name: 'compaction',
    title: 'A compaction',
    about: 'Capstan compacts a history that outgrew the window, here in several requests, and the turn continues.',
    /** A thread with a long history, made before the terminal opens. */
    before: [
      ['exec', 'Port the importer to streams.'],
      ...['reader', 'parser', 'tests'].map((part) => ['exec', 'resume', '--last', `Now the ${part}.`]),
    ],
    script(request) {
      if (request.body['tool_choice'] !== 'none') {
        return request.index < 4
          ? answer({ items: [say('word '.repeat(15_000))], usage: 'none' })
          : tell('The writer is ported as well. All three parts use streams now.');
      }
      return answer({ items: [say(checkpoint)], firstByteDelayMs: 1500, usage: 'none' });
    },
    async play(terminal) {
      await terminal.type('capstan exec -c model_context_window=40000 resume --last "Continue."');
      await terminal.shows(/stage [2-4] of/);
      const meanwhile = terminal.frame('while the model writes the checkpoint');
      await terminal.ready();
      return [meanwhile, terminal.frame('at the end')];
    },
  },
  {
    name: 'interrupt',
    title: 'Ctrl-C in a loop',
    about: 'Ctrl-C ends the turn, and then Capstan ends by the signal, so that the loop of the shell stops too.',
    script: [hang({ afterBytes: 0, of: tell('never') })],
    async play(terminal) {
      await terminal.type('for n in 1 2 3; do capstan exec "Look at part $n."; done');
      await terminal.shows(/· [1-9] s/);
      terminal.press('C-c');
      await terminal.ready();
      return [terminal.frame()];
    },
  },
]);

/** Every session is about the same small project. */
function withProject(all) {
  return all.map((scenario) => ({ ...scenario, files: project }));
}
