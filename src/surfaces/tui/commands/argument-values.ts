import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { kindOfEntry, namesIn } from '../../../engine/file-access.ts';
import { plural } from '../../../engine/wording.ts';
import { groupEfforts } from './settings/model.ts';
import { listOfFolder } from '../pages/thread-pages.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { themeChoices } from '../screen/text/themes.ts';
import type { ArgumentAtCursor, ArgumentValue, SlashArgument } from './slash-commands.ts';
import { compactNumber } from '../screen/text/format-values.ts';
import { permissionPresets } from '../session/permission-presets.ts';
import { readUserThemes } from '../screen/text/user-themes.ts';
import type { DraftServicesHost } from '../draft/draft-services.ts';

/** Enough to show: typing another letter reads the names again. */
const mostNames = 200;
const mostThreads = 50;

type ValuesOf = (
  host: DraftServicesHost,
  asked: ArgumentAtCursor,
  thread: ReturnType<DraftServicesHost['thread']>,
) => readonly ArgumentValue[] | Promise<readonly ArgumentValue[]>;

const valuesOf: Readonly<Record<Exclude<SlashArgument, readonly string[]>, ValuesOf>> = {
  background: (_host, _asked, { sessions }) =>
    sessions.map(({ id, argv }) => ({ text: String(id), about: argv.join(' ') })),
  async effort({ engine }, { before }, { settings: { cwd, provider, model } }) {
    const shown = await (await engine.user.models()).show({ cwd, provider }, before[0] ?? model);
    if ('code' in shown) return [];
    const { supportedEfforts, defaultEffort } = shown.record;
    const about = (effort: string): string => (effort === defaultEffort ? 'usual for this model' : '');
    // The most expensive ones are hidden here too, as in the first list of /model.
    return groupEfforts(supportedEfforts).usual.map((text) => ({ text, about: about(text) }));
  },
  file: (_host, { typed }, { settings: { cwd } }) => pathsAt(cwd, typed, 'file'),
  folder: (_host, { typed }, { settings: { cwd } }) => pathsAt(cwd, typed, 'folder'),
  goal: () => bare(['pause', 'resume', 'edit', 'clear']),
  async model({ engine }, _asked, { settings: { cwd, provider } }) {
    const options = { asksServer: false, signal: new AbortController().signal };
    const listed = await (await engine.user.models()).list({ cwd, provider }, options);
    if ('code' in listed) return [];
    const about = (window?: number): string => (window === undefined ? '' : `${compactNumber(window)} window`);
    return listed.models.map(({ model, window }) => ({ text: model, about: about(window) }));
  },
  permissions: () => permissionPresets.map(({ label, about }) => ({ text: label, about })),
  async server({ engine }, { before: [verb] }, { settings }) {
    if (verb !== 'login' && verb !== 'logout') return [];
    const servers = await (await engine.user.mcpServers()).list(settings.cwd);
    return servers.map(({ name, isLoggedIn }) => ({ text: name, about: isLoggedIn ? 'logged in' : '' }));
  },
  async theme({ engine }) {
    const { choices } = await readUserThemes(engine);
    return [...themeChoices, ...choices].map(({ name, about }) => ({ text: name, about }));
  },
  thread: (host, _asked, { settings }) => threadsOf(host, settings.cwd),
  async turn({ engine }, _asked, { id, place }) {
    const turns = place === undefined ? [] : await engine.stored.turns(id);
    return turns.map(({ number, firstWords }) => ({ text: String(number), about: firstWords }));
  },
};

/** Values for an argument. Empty if they cannot be listed: the command reports the reason when the user runs it. */
export async function listArgumentValues(host: DraftServicesHost, asked: ArgumentAtCursor) {
  const { kind } = asked;
  return typeof kind === 'string' ? valuesOf[kind](host, asked, host.thread()) : bare(kind);
}

const bare = (words: readonly string[]): readonly ArgumentValue[] => words.map((text) => ({ text, about: '' }));

/** Threads by name, or by id if they have no name or share it. */
async function threadsOf({ engine, thread }: DraftServicesHost, cwd: string): Promise<readonly ArgumentValue[]> {
  const query = { cwd, limit: mostThreads, sort: 'updated' } as const;
  const page = await listOfFolder((each) => engine.stored.list(each), query);
  if ('code' in page) return [];
  const others = page.threads.filter(({ id }) => id !== thread().id);
  return others.map(({ id, name, preview, turns }) => {
    const isOnly = name !== undefined && others.filter((each) => each.name === name).length === 1;
    const about = [...(isOnly ? [preview] : [name ?? preview]), plural(turns, 'turn')].filter((each) => each !== '');
    return { text: isOnly ? name : id, about: about.join(', ') };
  });
}

/** Completions of a path. Names that begin with a dot are listed once the dot is typed. */
function pathsAt(cwd: string, typed: string, kind: 'file' | 'folder'): readonly ArgumentValue[] {
  const [folder = ''] = /^.*\//.exec(typed) ?? [];
  const begun = typed.slice(folder.length).toLowerCase();
  const at = resolve(cwd, folder.replace(/^~(?=\/)/, homedir()));
  const names = namesIn(at)
    .filter((name) => name.toLowerCase().startsWith(begun) && name.startsWith('.') === begun.startsWith('.'))
    // Skip names that the draft cannot hold unchanged.
    .filter((name) => name === cleanLine(name))
    .toSorted();
  return names.slice(0, mostNames).flatMap((name) => {
    const isFolder = kindOfEntry(resolve(at, name)) === 'folder';
    return kind === 'file' || isFolder ? [{ text: `${folder}${name}${isFolder ? '/' : ''}`, about: '' }] : [];
  });
}
