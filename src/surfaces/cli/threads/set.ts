import { resolve } from 'node:path';
import type { SettingsChange } from '../../../core/envelope/apply-settings-change.ts';
import type { Settings } from '../../../core/envelope/settings.ts';
import { profileSandboxLevel } from '../../../core/policy/profiles/profile-entries.ts';
import { defined } from '../../../base/objects.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Json } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { wrongUsage } from '../../views/command-line/run-command.ts';
import { setCommand } from '../table/threads-change-commands.ts';
import { printResult, formatTable } from '../../views/terminal/tables.ts';
import type { EngineRefused } from '../../../engine/engine-refused.ts';
import { liveThreads } from '../../../engine/live/live-threads.ts';
import type { LiveThread, LiveThreads } from '../../../engine/live/live-thread-types.ts';
import { printFailure } from '../../views/terminal/print.ts';
import { settingLabel } from '../../../engine/wording.ts';
import { findThread } from './operations.ts';

/** Exit codes: 0: changed, or already so; 1: refused; 2: wrong usage. */
export async function run({ thread: name, options }: CommandArguments<typeof setCommand>): Promise<number | Outcome> {
  const wanted = changeOf(options);
  if (Object.keys(wanted).length === 0)
    return wrongUsage(setCommand, 'nothing to change. Name a setting, for example --model.');
  const found = await findThread({ thread: name });
  if ('code' in found) return found;
  const { engine, id } = found;
  const change = wanted.cwd === undefined ? wanted : { ...wanted, cwd: resolve(found.cwd, wanted.cwd) };
  const threads = liveThreads(engine);
  const thread = await load(threads, id, change);
  if (thread.kind === 'refused') return thread.outcome;
  // Show them now: once this command changes the thread, settings that were not restored are lost to it.
  for (const notice of thread.notices) printFailure(notice, 0);
  const before = thread.settings;
  try {
    const result = await thread.override(change);
    if (result.kind === 'refused') return result.outcome;
    const { changed: names, settings: now } = result;
    const changes = (names as readonly (keyof Settings)[]).map((name) => {
      return { name, from: shown(before, name), to: shown(now, name) };
    });
    const changed = Object.fromEntries(changes.map(({ name, ...values }) => [settingLabel(name), values]));
    return printResult({ thread_id: id, changed }, options, () => asText(id, changes));
  } finally {
    await threads.close();
  }
}

/** Loads a thread even if its folder is gone, so that it can be given another one. */
async function load(threads: LiveThreads, id: ThreadId, change: SettingsChange): Promise<LiveThread | EngineRefused> {
  const loaded = await threads.load(id, { unattended: true });
  if (loaded.kind === 'live' || loaded.outcome.code !== 'folder-missing' || change.cwd === undefined) return loaded;
  // Any existing folder will do: the change names the new one.
  return threads.load(id, { unattended: true, cwd: '/' });
}

/** The values are passed on unchecked: they are validated where they are applied. */
function changeOf(options: CommandArguments<typeof setCommand>['options']): SettingsChange {
  const { model, effort, cwd, sandbox, approval, personality, mode } = options;
  return defined({
    model,
    effort: effort === 'default' ? null : effort,
    cwd,
    sandbox,
    approvals: approval,
    personality: personality === 'default' ? null : personality,
    collaboration: mode === undefined ? undefined : { mode },
  }) as SettingsChange;
}

function shown(settings: Settings, name: keyof Settings): Json {
  if (name === 'sandbox') return profileSandboxLevel(settings.sandbox);
  if (name === 'collaboration') return settings.collaboration?.mode ?? 'default';
  return (settings[name] as Json | undefined) ?? null;
}

function asText(id: ThreadId, changes: readonly { name: string; from: Json; to: Json }[]): string {
  if (changes.length === 0) return `Thread ${id} already has these settings.\n`;
  const rows = changes.map(({ name, from, to }) => ['', settingLabel(name), words(name, from), '->', words(name, to)]);
  return `Thread ${id}, from its next turn on:\n${formatTable(rows)}`;
}

function words(name: string, value: Json): string {
  if (value === null) return name === 'effort' || name === 'summary' ? 'default of the model' : 'default';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
