import type { TuiSession } from '../../session/session.ts';
import { typedEffortProblem } from '../../../../core/envelope/identity.ts';
import { stringAt } from '../../../../protocol/json.ts';
import { outcomeText } from '../../../../protocol/outcome.ts';
import { openList, ListView, type ListItem } from '../../pages/list-view.ts';
import type { HintKeyMapper } from '../../screen/keys/key-map.ts';
import { compactNumber } from '../../screen/text/format-values.ts';
import { reportBadArguments } from '../command-session.ts';

/** Settings of threads without a choice of their own. */
type Defaults = { readonly model?: string; readonly effort?: string };

/** `/model NAME EFFORT` changes this conversation. The user chooses a missing name or effort from a list. */
export async function model(session: TuiSession, rest: string): Promise<void> {
  const [name = '', effort, ...more] = rest.split(/\s+/);
  if (more.length > 0)
    return reportBadArguments(session, `/model ${rest}`, 'Use /model, /model NAME or /model NAME EFFORT.');
  if (effort !== undefined) {
    const record = await recordOf(session, name);
    const problem = record === undefined ? undefined : typedEffortProblem(record, effort);
    if (problem !== undefined) return reportBadArguments(session, `/model ${rest}`, outcomeText(problem));
    return take(session, { model: name, effort }, 'session');
  }
  const defaults = await defaultsOf(session);
  return name === '' ? chooseModel(session, defaults) : chooseEffort(session, name, defaults);
}

export async function stepEffort(session: TuiSession, by: 1 | -1): Promise<void> {
  const { effort: current, model: name } = session.thread.settings;
  const { efforts, usual } = await effortsOf(session, name);
  const effort = nextEffort(efforts, { by, current, fallback: usual });
  if (effort !== undefined) return take(session, { effort }, 'session');
  const end = by === 1 ? 'no higher effort by key: /model has all of them' : 'no lower effort';
  session.notice(efforts.length === 0 ? `${name} has no efforts to choose from.` : `${name} has ${end}.`);
}

async function defaultsOf({ parts: { engine }, thread: { settings } }: TuiSession): Promise<Defaults> {
  const configured = await engine.config.inFolder(settings.cwd);
  if ('code' in configured) return {};
  const { values } = configured.effective;
  return { model: stringAt(values, 'model'), effort: stringAt(values, 'model_reasoning_effort') };
}

async function recordOf({ parts: { engine }, thread: { settings } }: TuiSession, name: string) {
  const { cwd, provider } = settings;
  const shown = await (await engine.user.models()).show({ cwd, provider }, name);
  return 'code' in shown ? undefined : shown.record;
}

async function effortsOf(session: TuiSession, name: string) {
  const record = await recordOf(session, name);
  return { efforts: record?.supportedEfforts ?? [], usual: record?.defaultEffort, isGuessed: record?.guessed };
}

async function chooseModel(session: TuiSession, defaults: Defaults): Promise<void> {
  const { stage, engine } = session.parts;
  const { cwd, provider, model: current } = session.thread.settings;
  const models = await engine.user.models();
  const listed = await models.list({ cwd, provider }, { asksServer: false, signal: new AbortController().signal });
  if ('code' in listed) return session.noticeProblem(listed);
  if (listed.models.length === 0) return session.notice(`No models of ${provider} are known. Name one: /model NAME.`);
  const items = listed.models.map(({ model: name, window }): ListItem => {
    const about = [name === defaults.model && 'default', window !== undefined && `${compactNumber(window)} window`];
    return { label: name, about: about.filter(Boolean).join(', '), isCurrent: name === current };
  });
  const pick = (index: number): void =>
    session.inBackground(chooseEffort(session, listed.models[index]!.model, defaults));
  openList(stage, { title: `Models of ${listed.provider}`, items, isSearched: items.length > 9, pick });
}

const saves = (key: HintKeyMapper): string =>
  `${key('Enter')} saves it as default, ${key('s')} keeps it to this conversation, ${key('Esc')} goes back`;

/** The second step. For a model without efforts it only asks how long the choice applies. */
async function chooseEffort(session: TuiSession, name: string, defaults: Defaults): Promise<void> {
  const { stage } = session.parts;
  const { settings } = session.thread;
  const { efforts, usual, isGuessed = false } = await effortsOf(session, name);
  const close = (): void => session.inBackground(chooseModel(session, defaults));
  const current = name === settings.model ? (settings.effort ?? usual) : undefined;
  const effortItem = (effort: string): ListItem => {
    const isDefault = name === defaults.model && effort === defaults.effort;
    const about = [isDefault && 'default', effort === usual && 'usual for this model'].filter(Boolean);
    return { label: effort, about: about.join(', '), isCurrent: effort === current };
  };
  const list = (title: string, shown: readonly string[], more: readonly string[], startsAt?: number): void => {
    const items = [
      ...shown.map(effortItem),
      ...(more.length === 0 ? [] : [{ label: 'More reasoning…', about: 'uses up limits and money much faster' }]),
    ];
    const choose = (index: number, how: 'default' | 'session'): void => {
      const effort = shown[index];
      if (effort !== undefined) session.inBackground(take(session, { model: name, effort }, how));
      else list(`More reasoning of ${name}: uses up limits and money much faster`, more, []);
    };
    const keys = { s: (index: number) => choose(index, 'session') };
    const pick = (index: number): void => choose(index, 'default');
    stage.open(new ListView({ title, items, startsAt, hint: saves, keys, close, pick }));
  };
  if (efforts.length > 0) {
    const { usual: shown, top } = groupEfforts(efforts);
    return list(`Effort of ${name}`, shown, top, initialEffortRow(efforts, { present: settings.effort, usual }));
  }
  const ways = [
    { how: 'default', label: 'As default', about: 'in new conversations, too' },
    { how: 'session', label: 'In this conversation', about: 'the default stays as it is' },
  ] as const;
  // An unknown name may be mistyped.
  const items = isGuessed ? ways.toReversed() : ways;
  const title = isGuessed ? `Capstan does not know ${name}. Use it anyway` : `Use ${name}`;
  const pick = (index: number): void => session.inBackground(take(session, { model: name }, items[index]!.how));
  stage.open(new ListView({ title, items, close, pick }));
}

/** Applies the choice from the next turn on; as default, also to new conversations. */
async function take(
  session: TuiSession,
  chosen: { readonly model?: string; readonly effort?: string },
  how: 'default' | 'session',
): Promise<void> {
  const { stage, engine } = session.parts;
  stage.open(undefined);
  if (!(await session.change(chosen))) return;
  const { model: name, effort, provider } = session.thread.settings;
  const problem = how === 'default' ? await engine.config.saveModel({ provider, model: name, effort }) : undefined;
  if (problem !== undefined) session.noticeProblem(problem);
  const saved = how === 'default' && problem === undefined ? ' It is the default of new conversations.' : '';
  session.notice(`The next turn uses ${name}${effort === undefined ? '' : ` (${effort})`}.${saved}`);
}

/** These efforts cost a multiple of the others, so no key and no first list leads to them. */
const topEfforts: ReadonlySet<string> = new Set(['xhigh', 'max', 'ultra']);

export function groupEfforts(efforts: readonly string[]): Record<'usual' | 'top', readonly string[]> {
  const usual = efforts.filter((effort) => !topEfforts.has(effort));
  // If a model has only top efforts, its first list must show them.
  if (usual.length === 0) return { usual: efforts, top: [] };
  return { usual, top: efforts.filter((effort) => topEfforts.has(effort)) };
}

/** The initial row: the current effort, else the model's default. Top efforts share the row after the others. */
export function initialEffortRow(
  efforts: readonly string[],
  { present, usual }: { readonly present?: string; readonly usual?: string },
): number {
  const divided = groupEfforts(efforts);
  for (const effort of [present ?? '', usual ?? '']) {
    if (divided.top.includes(effort)) return divided.usual.length;
    if (divided.usual.includes(effort)) return divided.usual.indexOf(effort);
  }
  return 0;
}

export function nextEffort(
  efforts: readonly string[],
  { current, fallback, by }: { readonly current?: string; readonly fallback?: string; readonly by: 1 | -1 },
): string | undefined {
  const { usual, top } = groupEfforts(efforts);
  const now = current ?? fallback ?? '';
  // Down from a top effort leads to the highest of the usual ones.
  const at = top.includes(now) ? usual.length : usual.indexOf(now);
  return at === -1 ? undefined : usual[at + by];
}
