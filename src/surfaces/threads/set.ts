import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { SettingsChange } from '../../envelope/override.ts';
import type { Settings } from '../../envelope/settings.ts';
import { widthOf } from '../../policy/profile-width.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Json } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { version } from '../../protocol/version.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import { complain } from '../complain.ts';
import { columns } from '../config/columns.ts';
import { currentFolder } from '../current-folder.ts';
import { Engine } from '../engine/engine.ts';
import type { EngineRefused } from '../engine/engine-refused.ts';
import type { OpenedThread } from '../engine/open-thread.ts';
import { print } from '../print.ts';
import { lastOption, runCommand, threadNamed } from '../run-command.ts';
import { settingWord } from '../setting-word.ts';

export const form: CommandForm = {
  name: 'threads set',
  summary: 'Changes what the turns of a thread start from, from the next one on.',
  forms: ['THREAD --model MODEL --cd FOLDER … [--json]', '--last …'],
  options: [
    { key: 'model', names: ['-m', '--model'], value: 'MODEL', help: 'the model' },
    { key: 'effort', names: ['--effort'], value: 'EFFORT', help: 'how hard it thinks; `default`: as the model has it' },
    { key: 'cwd', names: ['-C', '--cd'], value: 'FOLDER', help: 'the folder to work in' },
    { key: 'sandbox', names: ['-s', '--sandbox'], value: 'MODE', help: 'what commands may touch' },
    { key: 'approval', names: ['-a', '--approval'], value: 'POLICY', help: 'when somebody is asked' },
    { key: 'personality', names: ['--personality'], value: 'NAME', help: 'how it talks; `default`: none is chosen' },
    { key: 'mode', names: ['--mode'], value: 'MODE', help: '`default` or `plan`' },
    { key: 'json', names: ['--json'], help: 'for programs' },
    lastOption,
  ],
  notes: 'All of it is changed, or nothing. `capstan exec resume` goes on with it unless a flag says otherwise.',
};

/** `capstan threads set`. 0: changed, or so already; 1: refused; 2: wrong usage. */
export function run(words: readonly string[]): Promise<number> {
  return runCommand(form, words, set);
}

async function set(asked: ParsedWords): Promise<number | Outcome> {
  const meant = threadNamed(form, asked);
  if ('code' in meant) return meant;
  const here = currentFolder();
  if ('code' in here) return here;
  const change = changeOf(asked, here.path);
  if (Object.keys(change).length === 0) return wrongUsage(form, 'what is to be changed?');
  const client = { name: 'capstan', version, source: 'cli' };
  const engine = await Engine.load({ env: process.env, osHome: homedir(), cwd: here.path, client, overrides: [] });
  if (engine.kind === 'refused') return engine.outcome;
  const chosen = await engine.choose(
    meant.name === undefined ? { kind: 'last', cwd: here.path } : { kind: 'named', name: meant.name },
  );
  if (chosen.kind === 'none') return chosen;
  const opened = await open(engine, chosen.id, change);
  if (opened.kind === 'refused') return opened.outcome;
  const { thread, notices } = opened;
  // What was not taken over is not the thread's any more once it is changed here.
  for (const notice of notices) complain(notice, 0);
  const before = thread.settings;
  try {
    const result = await thread.overrideTurnContext(change);
    if (result.kind === 'refused') return result.outcome;
    const changes = result.changed.map((name) => ({
      name,
      from: shown(before, name as keyof Settings),
      to: shown(result.settings, name as keyof Settings),
    }));
    if (asked.flags.has('json')) print(json(chosen.id, changes), 'json');
    else print(table(chosen.id, changes), 'text');
    return 0;
  } finally {
    await thread.close();
  }
}

/** A thread whose folder is gone can still be given another one. */
async function open(engine: Engine, id: ThreadId, change: SettingsChange): Promise<OpenedThread | EngineRefused> {
  const listener = (): void => {};
  const opened = await engine.resume(id, { listener });
  if (opened.kind === 'opened' || opened.outcome.code !== 'folder-missing' || change.cwd === undefined) return opened;
  // Any folder that is there will do: the change says which one it is to be.
  return engine.resume(id, { listener, cwd: '/' });
}

/** The values go as they are to who judges them. */
function changeOf(asked: ParsedWords, here: string): SettingsChange {
  const value = (key: string): string | undefined => asked.values.get(key)?.at(-1);
  const [folder, mode] = [value('cwd'), value('mode')];
  const change = {
    model: value('model'),
    effort: value('effort') === 'default' ? null : value('effort'),
    cwd: folder === undefined ? undefined : resolve(here, folder),
    sandboxMode: value('sandbox'),
    approval: value('approval'),
    personality: value('personality') === 'default' ? null : value('personality'),
    collaboration: mode === undefined ? undefined : { mode },
  };
  return Object.fromEntries(Object.entries(change).filter(([, given]) => given !== undefined)) as SettingsChange;
}

interface ShownChange {
  readonly name: string;
  readonly from: Json;
  readonly to: Json;
}

function shown(settings: Settings, name: keyof Settings): Json {
  if (name === 'profile') return widthOf(settings.profile);
  if (name === 'collaboration') return settings.collaboration?.mode ?? 'default';
  return (settings[name] as Json | undefined) ?? null;
}

function json(id: ThreadId, changes: readonly ShownChange[]): string {
  const changed = Object.fromEntries(changes.map(({ name, from, to }) => [settingWord(name), { from, to }]));
  return `${JSON.stringify({ thread_id: id, changed })}\n`;
}

function table(id: ThreadId, changes: readonly ShownChange[]): string {
  if (changes.length === 0) return `Thread ${id} has all of this already.\n`;
  const rows = changes.map(({ name, from, to }) => ['', settingWord(name), words(name, from), '->', words(name, to)]);
  return `Thread ${id}, from its next turn on:\n${columns(rows)}`;
}

function words(name: string, value: Json): string {
  if (value === null) return name === 'effort' || name === 'summary' ? 'default of the model' : 'default';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
