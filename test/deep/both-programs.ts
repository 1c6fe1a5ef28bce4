import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../src/protocol/json.ts';
import { quoteShellCommand } from '../../src/protocol/shell.ts';
import { answer, type RecordedRequest, say, type ScriptStep } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { type Scene, scene, textsOf } from '../harness/scene.ts';
import { TmuxShell } from '../harness/tmux.ts';
import { codexCommand } from '../oracles/codex.ts';

export type Program = 'capstan' | 'codex';

export const pause = (milliseconds: number): Promise<void> => new Promise((over) => setTimeout(over, milliseconds));

/** A pause before Enter: right behind letters it counts as part of a paste. */
export async function send(shell: TmuxShell, words: string, key = 'Enter'): Promise<void> {
  shell.type(words);
  await pause(500);
  shell.press(key);
}

export interface Opened extends Scene {
  readonly shell: TmuxShell;
}

/** The step of the model, by the words that a request ends with and the calls that are answered in it. */
type Plays = (texts: readonly string[], calls: number) => ScriptStep;

/** Either program on a terminal, in a folder with a file and a skill, with an editor of the user, and nothing to answer first. */
export async function openProgram(program: Program, plays: Plays, sandbox?: 'read-only'): Promise<Opened> {
  const built = await scene(
    (request) => (isTurn(request) ? plays(wordsIn(request), callsIn(request)) : answer({ items: [say('A title')] })),
    'approval_policy = "on-request"\ncheck_for_update_on_startup = false\nanalytics.enabled = false\n',
  );
  const { place } = built;
  const configFile = join(place.home, 'config.toml');
  const config = readFileSync(configFile, 'utf8').replace('workspace-write', sandbox ?? 'workspace-write');
  writeFileSync(configFile, `${config}${tablesFor(place)}`);
  writeFileSync(join(place.workspace, 'windmill.txt'), 'sails\n');
  const skill = join(place.home, 'skills', 'grinding');
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, 'SKILL.md'), '---\nname: grinding\ndescription: How to grind corn.\n---\nGrind it.\n');
  // The editor is where commands cannot write: no rule is offered while they could replace it.
  const editor = join(homedir(), 'editor.sh');
  writeFileSync(editor, '#!/bin/sh\nprintf "edited outside" > "$1"\n');
  chmodSync(editor, 0o755);
  const shell = new TmuxShell(place, 110, 36);
  shell.run(`export EDITOR=${editor} VISUAL=${editor}`);
  if (program === 'capstan') shell.start();
  else {
    const { program: node, script, env } = codexCommand(place);
    const set = [`PATH=${env.PATH}`, `CODEX_HOME=${env.CODEX_HOME}`];
    shell.run(quoteShellCommand(['env', ...set, node, script, '--no-alt-screen', '--no-daemon']));
  }
  await shell.sees(program === 'capstan' ? 'Context 100% left' : /GPT-5\.5 .* · /i, 'screen');
  await pause(500);
  return { ...built, shell };
}

/** Nothing has to be answered before the conversation. */
function tablesFor({ workspace }: Place): string {
  return `
[projects.${JSON.stringify(workspace)}]
trust_level = "trusted"
[tui]
screen_reader_detection_done = true
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
`;
}

/** Requests of the conversation have tools; one for a title has none. */
function isTurn({ body }: RecordedRequest): boolean {
  return JSON.stringify(body['tools'] ?? []).includes('exec_command');
}

export function turnRequests(requests: readonly RecordedRequest[]): readonly RecordedRequest[] {
  return requests.filter(isTurn);
}

function itemsIn({ body }: RecordedRequest): readonly JsonObject[] {
  return body['input'] as unknown as readonly JsonObject[];
}

export function wordsIn(request: RecordedRequest): readonly string[] {
  const users = itemsIn(request).filter(({ role }) => role === 'user');
  return textsOf(users).filter((text) => typeof text === 'string');
}

function callsIn(request: RecordedRequest): number {
  return itemsIn(request).filter(({ type }) => String(type).endsWith('_call_output')).length;
}
