import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, type RecordedRequest, say, type ScriptStep } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { runCodex } from './codex.ts';
import { runCapstan, type Scene, scene } from './scene.ts';

const commands = ['echo secret', 'echo model', 'echo loud', 'echo quiet; exit 3'];

/** A model that runs one command after the other, and says that it is done as often as it is asked. */
function talk({ body }: RecordedRequest): ScriptStep {
  const outputs = (body['input'] as unknown as readonly JsonObject[]).filter(
    ({ type }) => type === 'function_call_output',
  );
  const cmd = commands[outputs.length];
  return answer({
    items: cmd === undefined ? [say('Done.')] : [callTool('exec_command', { cmd }, `call_${cmd.length}`)],
  });
}

function specific(hookEventName: string, more: JsonObject): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName, ...more } });
}

/** By event: what each does after it has kept what it reads. */
type Programs = Readonly<Record<string, string | readonly string[]>>;

/** Hooks that have all effects. */
const programs: Programs = {
  SessionStart: 'echo "The release is on."',
  UserPromptSubmit: `printf '%s' '${specific('UserPromptSubmit', { additionalContext: 'It is late.' })}'`,
  PreToolUse: `case "$input" in
    *"echo secret"*) echo "No secrets" >&2; exit 2;;
    *"echo model"*) printf '%s' '${specific('PreToolUse', { permissionDecision: 'allow', updatedInput: { command: 'echo hook' } })}';;
    *"echo loud"*) printf '%s' '${specific('PreToolUse', { additionalContext: 'It is loud.' })}';;
    *) exit 7;;
  esac`,
  PostToolUse: `case "$input" in *loud*) echo "Too loud." >&2; exit 2;; *) echo "plain words";; esac`,
  Stop: `case "$input" in *'"stop_hook_active":true'*) exit 0;; *) echo "Run the tests & lint." >&2; exit 2;; esac`,
};

function writeHooks({ home }: Place, programs: Programs, matchers: Readonly<Record<string, string>> = {}): string {
  const folder = join(home, 'seen');
  const groups = Object.entries(programs).map(([event, all]) => {
    const hooks = [all].flat().map((program, at) => {
      const path = join(home, `${event}-${at}.sh`);
      writeFileSync(path, `input=$(cat)\nprintf '%s\\n' "$input" >>'${folder}/${event}-${at}'\n${program}\n`);
      return { type: 'command', command: `sh '${path}'`, timeout: event === 'SessionEnd' ? 3 : 30 };
    });
    const matcher = matchers[event];
    return [event, [{ ...(matcher === undefined ? {} : { matcher }), hooks }]] as const;
  });
  writeFileSync(join(home, 'hooks.json'), JSON.stringify({ hooks: Object.fromEntries(groups) }));
  return folder;
}

/** The input that each hook read, without names of one run. */
function readSeen(folder: string): Readonly<Record<string, readonly JsonObject[]>> {
  const events = readdirSync(folder).toSorted();
  return Object.fromEntries(
    events.map((event) => {
      const lines = readFileSync(join(folder, event), 'utf8').trim().split('\n');
      return [event, lines.map((line) => plain(JSON.parse(line) as JsonObject))];
    }),
  );
}

function plain(input: JsonObject): JsonObject {
  const named = ['session_id', 'transcript_path', 'turn_id'].filter((name) => typeof input[name] === 'string');
  return { ...input, ...Object.fromEntries(named.map((name) => [name, 'text'])) };
}

/** The texts that the model was told, in the parts that come from hooks or calls. */
function told({ body }: RecordedRequest): readonly string[] {
  const input = body['input'] as unknown as readonly JsonObject[];
  return input.flatMap(({ type, role, output, content }) => {
    if (String(type).endsWith('_output')) return [`output: ${outputOf(String(output))}`];
    const texts = type === 'message' && role !== 'assistant' ? (content as readonly JsonObject[]) : [];
    return texts.map(({ text }) => words(String(text))).filter((text) => fromHooks.test(text));
  });
}

const fromHooks = /The release is on|It is late|It is loud|Run the tests/;

/** Without what is of one program: its tags, and the name of a run. */
function words(text: string): string {
  return text
    .replace(/hook_run_id="[^"]*"/, 'hook_run_id="ID"')
    .replace(/^<(?:hook|session)_context>\n([^]*)\n<\/(?:hook|session)_context>$/, '$1');
}

/** Without measures, and without our sentences about a change and about a result that is withheld. */
function outputOf(text: string): string {
  const from = text.indexOf('Output:\n');
  return from < 0 ? text.replace(/^The call ran.* withholds its result and says: /, '') : text.slice(from);
}

interface Effects {
  readonly code: number | null;
  readonly seen: ReturnType<typeof readSeen>;
  readonly told: readonly (readonly string[])[];
}

/** The effects of the hooks in each program: Capstan, then Codex. */
async function runBoth({ model, place }: Scene, folder: string, prompt = 'go'): Promise<readonly [Effects, Effects]> {
  const effects: Effects[] = [];
  for (const run of [runCapstan, runCodex]) {
    mkdirSync(folder);
    const from = model.requests.length;
    // The isolation of commands is not compared here.
    const { code } = await run(place, '-s', 'danger-full-access', prompt);
    effects.push({ code, seen: readSeen(folder), told: model.requests.slice(from).map(told) });
    rmSync(folder, { recursive: true });
  }
  return effects as unknown as readonly [Effects, Effects];
}

it('the same hooks read the same and have the same effects in both programs', async () => {
  const played = await scene(talk);
  const folder = writeHooks(played.place, programs, { PreToolUse: 'Bash', PostToolUse: 'Bash' });
  const trusted = await played.place.run('hooks', 'trust');
  expect(trusted.stdout.match(/^Trusted: /gm)).toHaveLength(Object.keys(programs).length);
  const [capstan, codex] = await runBoth(played, folder);
  // Codex puts the context of a call's hooks between the call and its answer, Capstan after all answers.
  const sorted = (each: Effects): Effects => ({ ...each, told: each.told.map((texts) => texts.toSorted()) });
  expect(sorted(capstan)).toEqual(sorted(codex));
  expect(capstan.told.at(-1)).toEqual([
    'The release is on.',
    'It is late.',
    'output: Command blocked by PreToolUse hook: No secrets. Command: echo secret',
    'output: Output:\nhook\n',
    'output: Too loud.',
    'It is loud.',
    'output: Output:\nquiet\n',
    '<hook_prompt hook_run_id="ID">Run the tests &amp; lint.</hook_prompt>',
  ]);
});

it('a patch has the same names and the same input', async () => {
  const input = '*** Begin Patch\n*** Add File: made.txt\n+one\n*** End Patch\n';
  const patch = { type: 'custom_tool_call', name: 'apply_patch', input, call_id: 'call_patch' };
  const played = await scene(({ body }) => {
    const isDone = JSON.stringify(body['input']).includes('custom_tool_call_output');
    return answer({ items: [isDone ? say('Done.') : patch] });
  });
  const refuses = 'echo "No files" >&2; exit 2';
  const folder = writeHooks(played.place, { PreToolUse: refuses }, { PreToolUse: 'Write' });
  await played.place.run('hooks', 'trust');
  const [capstan, codex] = await runBoth(played, folder);
  expect(capstan.seen).toEqual(codex.seen);
  expect(capstan.told.at(-1)).toEqual(['output: Tool call blocked by PreToolUse hook: No files. Tool: apply_patch']);
  // Codex repeats the whole patch.
  expect(codex.told.at(-1)).toEqual([`output: Command blocked by PreToolUse hook: No files. Command: ${input}`]);
});

it('a message that is blocked is not sent, in both', async () => {
  const played = await scene(talk);
  const blocks = JSON.stringify({ decision: 'block', reason: 'It has a secret.' });
  const folder = writeHooks(played.place, { UserPromptSubmit: `printf '%s' '${blocks}'`, Stop: 'exit 0' });
  await played.place.run('hooks', 'trust');
  const [capstan, codex] = await runBoth(played, folder);
  expect([capstan.told, Object.keys(capstan.seen)]).toEqual([[], ['UserPromptSubmit-0']]);
  // A program that reads the code must know that nothing was asked.
  expect([capstan.code, codex.code]).toEqual([1, 0]);
  expect({ ...capstan, code: 0 }).toEqual(codex);
});

it('answers that make no sense are ignored in both, and each hook that blocks the end has its fragment', async () => {
  const played = await scene(talk);
  const once = (words: string): string =>
    `case "$input" in *'"stop_hook_active":true'*) exit 0;; *) echo "${words}" >&2; exit 2;; esac`;
  const folder = writeHooks(played.place, {
    PreToolUse: ['printf "{"', `printf '{"decision": "maybe"}'`, `printf '{"odd": 1}'`, 'exit 2', 'echo words'],
    PostToolUse: ['printf "[1]"', 'exit 1'],
    UserPromptSubmit: [`printf '{"continue": tru'`],
    Stop: [once('Run the tests one.'), 'echo plain words', once('Run the tests two.')],
    SessionEnd: 'exit 0',
  });
  await played.place.run('hooks', 'trust');
  const [capstan, codex] = await runBoth(played, folder);
  expect(capstan.told.at(-1)?.filter((text) => text.includes('hook_prompt'))).toHaveLength(2);
  expect(capstan).toEqual(codex);
});

it('hooks that are not trusted, or have changed since, run in neither; a matcher counts where there is a name', async () => {
  const played = await scene(talk);
  const hooks = { SessionStart: 'exit 0', Stop: 'exit 0' };
  const folder = writeHooks(played.place, hooks, { SessionStart: 'startup', Stop: 'x' });
  const ran = async () => (await runBoth(played, folder)).map(({ seen }) => Object.keys(seen));
  expect(await ran()).toEqual([[], []]);
  await played.place.run('hooks', 'trust');
  writeHooks(played.place, hooks, { SessionStart: 'startup|resume', Stop: 'y' });
  expect(await ran()).toEqual([['Stop-0'], ['Stop-0']]);
});
