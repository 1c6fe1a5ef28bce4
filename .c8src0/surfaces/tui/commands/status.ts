import type { TuiSession } from '../session/session.ts';
import { approvalName } from '../../../core/policy/decide/approval-policy.ts';
import { needsSandbox } from '../../../core/policy/paths/access.ts';
import { sandboxLevelOf } from '../../../core/policy/profiles/describe-policy.ts';
import { withoutUrlCredentials } from '../../../core/policy/secrets.ts';
import { formatCount, policyInForce } from '../../../engine/wording.ts';
import { outcomeText } from '../../../protocol/outcome.ts';
import type { RateLimit } from '../../../protocol/rate-limits.ts';
import type { Usage } from '../../../protocol/usage.ts';
import { moneyWords } from '../../views/wording/cost-words.ts';
import { clockTime } from '../../views/wording/time-words.ts';
import { shownPath, usedTokensWords } from '../screen/text/format-values.ts';
import { readContextFill } from '../pages/insight/context-window-view.ts';
import type { Look } from '../screen/text/look.ts';
import { cardCell, type CardRow } from '../transcript/cells/card-cell.ts';
import { showInTranscript } from './command-session.ts';

/** `/status`: shows the current settings and the cost of the thread. All figures are the engine's. */
export async function showStatus(session: TuiSession): Promise<void> {
  const { stage, now } = session.parts;
  const { id, settings, profileName } = session.thread;
  const { total, rateLimits } = session.thread.usage();
  const { model, effort, summary, cwd, approvals: approval, collaboration, reviewer = 'user' } = settings;
  const path = (each: string): string => shownPath(each, { ...stage.look, cwd: '' });
  const of = [effort, summary && `summaries ${summary}`].filter((each) => each !== undefined);
  const reviewed = reviewer === 'user' ? '' : ', answered by a reviewer';
  const level = profileName ?? sandboxLevelOf(policyInForce(settings));
  const rows: readonly CardRow[] = [
    { name: 'Model', value: `${model}${of.length === 0 ? '' : ` (${of.join(', ')})`}` },
    { name: 'Provider', value: await providerWords(session) },
    { name: 'Folder', value: path(cwd) },
    { name: 'Permissions', value: `${level}, approval ${approvalName(approval)}${reviewed}` },
    ...(await sandboxRows(session)),
    { name: 'AGENTS.md', value: await instructionWords(session, path) },
    { name: 'Account', value: await accountWords(session) },
    ...(await threadRows(session)),
    { name: 'Mode', value: collaboration?.mode ?? 'default' },
    { name: 'Thread', value: id },
    {
      name: 'Tokens',
      value: `${usedTokensWords(total)} used: ${formatCount(total.input)} input (${formatCount(total.cachedInput)} cached), ${formatCount(total.output)} output${estimateWords(total)}`,
    },
    { name: 'Context', value: await readContextFill(session) },
    { name: 'Cost', value: moneyWords(total.cost, total.estimated).replace(/^cost /, '') },
    ...limitRows(rateLimits?.limits ?? [], { look: stage.look, now: now() }),
  ];
  showInTranscript(session, cardCell({ title: 'Status', rows }));
}

/** Usage that no provider counted, such as an interrupted answer. */
const estimateWords = ({ estimated = 0 }: Usage): string =>
  estimated === 0 ? '' : `, about ${formatCount(estimated)} that the provider did not count`;

async function providerWords({ parts: { engine }, thread: { settings } }: TuiSession): Promise<string> {
  const { cwd, provider } = settings;
  const models = await engine.user.models();
  const listed = await models.list({ cwd, provider }, { asksServer: false, signal: new AbortController().signal });
  const address = 'code' in listed ? undefined : withoutUrlCredentials(listed.address);
  return address === undefined ? provider : `${provider} (${address})`;
}

/** Only if the sandbox is weaker than usual, or cannot be built, so that Capstan refuses commands. */
async function sandboxRows({ parts: { engine }, thread: { settings } }: TuiSession): Promise<readonly CardRow[]> {
  if (!needsSandbox(policyInForce(settings))) return [];
  const sandbox = await engine.openSandbox({ cwd: settings.cwd });
  const means = 'code' in sandbox ? sandbox : await sandbox.means();
  if ('code' in means) return [{ name: 'Sandbox', value: `none, so commands are refused: ${outcomeText(means)}` }];
  if (means.kind !== 'landlock') return [];
  const value =
    'Landlock, which protects less than usual; `capstan sandbox explain -P :workspace` lists what it does not';
  return [{ name: 'Sandbox', value }];
}

async function instructionWords({ parts, thread }: TuiSession, shown: (path: string) => string): Promise<string> {
  const paths = await parts.engine.instructionPaths(thread.settings.cwd);
  return paths.length === 0 ? 'none; /init writes one' : paths.map(shown).join(', ');
}

async function accountWords({ parts: { engine } }: TuiSession): Promise<string> {
  const logins = await engine.user.logins();
  if (logins.variables.length > 0) return `the key in ${logins.variables[0]}`;
  const login = await logins.status();
  if (login.kind === 'unusable') return login.message;
  if (login.kind !== 'chatgpt') return accounts[login.kind];
  return `ChatGPT${login.email === undefined ? '' : `, ${login.email}`}${login.plan === undefined ? '' : ` (${login.plan})`}`;
}

const accounts = { none: 'not signed in', 'api-key': 'an API key', 'access-token': 'an access token' };

async function threadRows({ parts: { engine }, thread: { id, place } }: TuiSession): Promise<readonly CardRow[]> {
  const summary = place === undefined ? undefined : await engine.stored.summary(id);
  if (summary === undefined || 'code' in summary) return [];
  const { name, forkedFrom } = summary;
  return [
    ...(name === undefined ? [] : [{ name: 'Name', value: name }]),
    ...(forkedFrom === undefined ? [] : [{ name: 'Forked from', value: forkedFrom }]),
  ];
}

const segments = 20;
const leastForBar = 60;

/** Provider limits as last reported: a bar of the remaining share, and the time of the reset. */
export const limitRows = (
  limits: readonly RateLimit[],
  { look, now }: { readonly look: Pick<Look, 'width' | 'glyphs'>; readonly now: number },
): readonly CardRow[] =>
  limits.map((limit) => {
    const left = Math.max(0, Math.min(100, 100 - limit.usedPercent));
    const reset = limit.resetsAt === undefined ? '' : ` (resets ${momentWords(limit.resetsAt * 1000, now)})`;
    const bar = look.width < leastForBar ? '' : `${barOf(left, look)} `;
    return { name: `${limitName(limit)} limit`, value: `${bar}${Math.round(left)} % left${reset}` };
  });

function barOf(left: number, { glyphs }: Pick<Look, 'glyphs'>): string {
  const [full, empty] = glyphs === 'ascii' ? ['#', '.'] : ['█', '░'];
  const count = Math.round((left / 100) * segments);
  return `[${full.repeat(count)}${empty.repeat(segments - count)}]`;
}

const day = 24 * 60;
const windows: readonly (readonly [minutes: number, name: string])[] = [
  [5 * 60, '5h'],
  [day, 'Daily'],
  [7 * day, 'Weekly'],
  [30 * day, 'Monthly'],
  [365 * day, 'Annual'],
];

const limitName = ({ name, windowMinutes = 0 }: RateLimit): string =>
  windows.find(([minutes]) => Math.abs(windowMinutes - minutes) <= minutes * 0.05)?.[1] ?? name;

function momentWords(at: number, now: number): string {
  const [date, time] = clockTime(at).split(' ');
  return clockTime(now).startsWith(`${date} `) ? `${time}` : `${date} ${time}`;
}
