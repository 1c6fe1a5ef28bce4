import { withoutCredentials } from '../../../policy/secrets.ts';
import { needsSandbox } from '../../../policy/access.ts';
import { approvalName } from '../../../policy/approval-policy.ts';
import { sandboxLevelOf } from '../../../policy/describe-policy.ts';
import { fullText } from '../../../protocol/outcome.ts';
import type { Usage } from '../../../protocol/usage.ts';
import { moneyWords } from '../../wording/money-words.ts';
import { count } from '../../wording/number-words.ts';
import { usedCount } from '../../wording/used-words.ts';
import { policyInForce } from '../../wording/policy-in-force.ts';
import { type CardRow, cardCell } from '../cells/card-cell.ts';
import { shownPath } from '../text/shown-path.ts';
import { windowFill } from '../insight/read-window.ts';
import { limitRows } from '../views/limit-rows.ts';
import type { CommandSession } from './command-session.ts';

/** `/status`: what is in force, and what the thread has cost. All figures are the engine's. */
export async function status(session: CommandSession): Promise<void> {
  const { stage, now } = session.parts;
  const { id, settings, profileName } = session.thread;
  const { total, rateLimits } = session.thread.usage();
  const { model, effort, summary, cwd, approvals: approval, collaboration, reviewer = 'user' } = settings;
  const path = (each: string): string => shownPath(each, { ...stage.look, cwd: '' });
  const of = [effort, summary === undefined ? undefined : `summaries ${summary}`].filter((each) => each !== undefined);
  const reviewed = reviewer === 'user' ? '' : ', answered by a reviewer';
  const level = profileName ?? sandboxLevelOf(policyInForce(settings));
  const rows: readonly (CardRow | undefined)[] = [
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
      value: `${usedCount(total)} used: ${count(total.input)} input (${count(total.cachedInput)} cached), ${count(total.output)} output${estimateWords(total)}`,
    },
    { name: 'Context', value: await windowFill(session) },
    { name: 'Cost', value: moneyWords(total.cost, total.estimated).replace(/^cost /, '') },
    ...limitRows(rateLimits?.limits ?? [], { look: stage.look, now: now() }),
  ];
  const shown = rows.filter((row) => row !== undefined);
  stage.transcript.add({ cell: cardCell({ title: 'Status', rows: shown }), isFinal: true });
  stage.draw();
}

/** What no provider counted, such as an answer that was interrupted. */
function estimateWords({ estimated = 0 }: Usage): string {
  return estimated === 0 ? '' : `, about ${count(estimated)} that the provider did not count`;
}

async function providerWords({ parts: { engine }, thread: { settings } }: CommandSession): Promise<string> {
  const { cwd, provider } = settings;
  const models = await engine.user.models();
  const listed = await models.list({ cwd, provider }, { asksServer: false, signal: new AbortController().signal });
  const address = 'code' in listed ? undefined : withoutCredentials(listed.address);
  return address === undefined ? provider : `${provider} (${address})`;
}

/** Only where commands run in a weaker sandbox than usual, or in none. */
async function sandboxRows({ parts: { engine }, thread: { settings } }: CommandSession): Promise<readonly CardRow[]> {
  if (!needsSandbox(policyInForce(settings))) return [];
  const sandbox = await engine.openSandbox({ cwd: settings.cwd });
  const means = 'code' in sandbox ? sandbox : await sandbox.means();
  if ('code' in means) return [{ name: 'Sandbox', value: `none, so commands are refused: ${fullText(means)}` }];
  if (means.kind !== 'landlock') return [];
  const value =
    'Landlock, which protects less than usual; `capstan sandbox explain -P :workspace` lists what it does not';
  return [{ name: 'Sandbox', value }];
}

async function instructionWords(
  { parts: { engine }, thread: { settings } }: CommandSession,
  shown: (path: string) => string,
): Promise<string> {
  const paths = await engine.instructionPaths(settings.cwd);
  return paths.length === 0 ? 'none; /init writes one' : paths.map(shown).join(', ');
}

async function accountWords({ parts: { engine } }: CommandSession): Promise<string> {
  const logins = await engine.user.logins();
  if (logins.variables.length > 0) return `the key in ${logins.variables[0]}`;
  const login = await logins.status();
  switch (login.kind) {
    case 'none':
      return 'not signed in';
    case 'api-key':
      return 'an API key';
    case 'access-token':
      return 'an access token';
    case 'chatgpt':
      return `ChatGPT${login.email === undefined ? '' : `, ${login.email}`}${login.plan === undefined ? '' : ` (${login.plan})`}`;
    case 'unusable':
      return login.message;
  }
}

async function threadRows({ parts: { engine }, thread: { id, place } }: CommandSession): Promise<readonly CardRow[]> {
  const summary = place === undefined ? undefined : await engine.stored.summary(id);
  if (summary === undefined || 'code' in summary) return [];
  const { name, forkedFrom } = summary;
  return [
    ...(name === undefined ? [] : [{ name: 'Name', value: name }]),
    ...(forkedFrom === undefined ? [] : [{ name: 'Forked from', value: forkedFrom }]),
  ];
}
