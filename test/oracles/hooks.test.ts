import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, type RecordedRequest, say, type ScriptStep } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { runCodex } from './codex.ts';
import { runCapstan, scene } from './scene.ts';

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

/** Each keeps what it reads, then says this. */
const programs: Readonly<Record<string, string>> = {
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

function writeHooks({ home }: Place): string {
  const folder = join(home, 'seen');
  const groups = Object.entries(programs).map(([event, program]) => {
    const path = join(home, `${event}.sh`);
    writeFileSync(path, `input=$(cat)\nprintf '%s\\n' "$input" >>'${folder}/${event}'\n${program}\n`);
    const matcher = event.endsWith('ToolUse') ? { matcher: 'Bash' } : {};
    return [event, [{ ...matcher, hooks: [{ type: 'command', command: `sh '${path}'`, timeout: 30 }] }]] as const;
  });
  writeFileSync(join(home, 'hooks.json'), JSON.stringify({ hooks: Object.fromEntries(groups) }));
  return folder;
}

/** What each hook read, names of one run left out. */
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

/** What the model was told, in the parts that come from hooks or calls. */
function told({ body }: RecordedRequest): readonly string[] {
  const input = body['input'] as unknown as readonly JsonObject[];
  return input.flatMap(({ type, role, output, content }) => {
    if (type === 'function_call_output') return [`output: ${outputOf(String(output))}`];
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

/** Without measures, and without the sentence about a change. */
function outputOf(text: string): string {
  const from = text.indexOf('Output:\n');
  return from < 0 ? text : text.slice(from);
}

it('the same hooks read the same and have the same effects in both programs', async () => {
  const { model, place } = await scene(talk);
  const folder = writeHooks(place);
  const trusted = await place.run('hooks', 'trust');
  expect(trusted.stdout.match(/^Trusted: /gm)).toHaveLength(Object.keys(programs).length);
  const both: { readonly seen: ReturnType<typeof readSeen>; readonly told: readonly (readonly string[])[] }[] = [];
  for (const run of [runCapstan, runCodex]) {
    mkdirSync(folder);
    const from = model.requests.length;
    // How each isolates commands is not compared here.
    const ended = await run(place, '-s', 'danger-full-access', 'go');
    expect(ended.code, ended.stderr).toBe(0);
    both.push({ seen: readSeen(folder), told: model.requests.slice(from).map(told) });
    rmSync(folder, { recursive: true });
  }
  // Codex puts the context of a call's hooks between the call and its answer, Capstan after all answers.
  const [ours, theirs] = both.map((each) => each.told.map((texts) => texts.toSorted()));
  expect(ours).toEqual(theirs);
  expect(both[0]?.told.at(-1)).toEqual([
    'The release is on.',
    'It is late.',
    'output: Command blocked by PreToolUse hook: No secrets. Command: echo secret',
    'output: Output:\nhook\n',
    'output: Too loud.',
    'It is loud.',
    'output: Output:\nquiet\n',
    '<hook_prompt hook_run_id="ID">Run the tests &amp; lint.</hook_prompt>',
  ]);
  expect(both[0]?.seen).toEqual(both[1]?.seen);
});
