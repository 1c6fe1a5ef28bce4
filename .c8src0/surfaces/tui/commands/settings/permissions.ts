import type { HomeRules, ListedRule } from '../../../../engine/home/command-rules.ts';
import type { Question } from '../../../../protocol/question.ts';
import { quoteShellCommand } from '../../../../protocol/shell.ts';
import { questionWords } from '../../../views/questions/question-lines.ts';
import { askYesNo, chooseFrom, openList } from '../../pages/list-view.ts';
import { shownPath } from '../../screen/text/format-values.ts';
import { type PermissionPreset, permissionPresets, presetOf } from '../../session/permission-presets.ts';
import type { TuiSession } from '../../session/session.ts';
import { commandText } from '../../transcript/cells/command-cell.ts';
import { reportBadArguments } from '../command-session.ts';

/** `/permissions`: sets, by name or from a list, which actions need no question from the next turn on. */
export function choosePermissions(session: TuiSession, name: string): void {
  const { stage } = session.parts;
  if (name !== '') {
    const named = permissionPresets.find(({ label }) => label.toLowerCase() === name.toLowerCase());
    if (named !== undefined) return choose(session, named);
    const labels = permissionPresets.map(({ label }) => label).join(', ');
    const why = `There are no permissions ${name}. Use one of ${labels}.`;
    return reportBadArguments(session, `/permissions ${name}`, why);
  }
  const { settings, turnSettings = settings } = session.thread;
  const [current, next] = [presetOf(turnSettings), presetOf(settings)];
  const items = permissionPresets.map((preset) => {
    const when = preset === next && next !== current ? '(next turn) ' : '';
    return { label: preset.label, about: `${when}${preset.about}`, isCurrent: preset === current };
  });
  openList(stage, { title: 'Permissions', items, pick: (index) => choose(session, permissionPresets[index]!) });
}

/** Toggles between the first two presets. Full access must be chosen from the list. */
export function togglePermissions(session: TuiSession): void {
  const [ask, readOnly] = permissionPresets;
  choose(session, presetOf(session.thread.settings) === ask ? readOnly! : ask!);
}

function choose(session: TuiSession, preset: PermissionPreset): void {
  const { stage } = session.parts;
  const take = async (): Promise<void> => {
    const { label, sandbox, approval: approvals, reviewer } = preset;
    if (await session.change({ sandbox, approvals, reviewer }))
      session.notice(`Permissions: ${label}. They hold from the next turn on.`);
  };
  if (preset.sandbox !== 'danger-full-access') {
    stage.open(undefined);
    return session.inBackground(take());
  }
  const no = { label: 'No', about: 'keep the permissions as they are' };
  const yes = { label: 'Yes', about: 'commands may change and send anything that you may' };
  askYesNo(stage, 'Full access?', [no, yes], () => session.inBackground(take()));
}

/** The user hardly means older refusals. */
const mostListed = 9;

/** `/approve`: sends a user message for the reviewer. It allows one refused action, unless no reviewer may allow it. */
export async function approveRefusedAction(session: TuiSession): Promise<void> {
  const refused = await refusedByReview(session);
  if (refused.length === 0) return session.notice('No reviewer has refused anything in this conversation.');
  chooseFrom(session.parts.stage, {
    title: 'Allow which of these, once?',
    items: refused.map((question) => ({ label: questionWords(question), about: question.reason })),
    pick: (index) => session.sendWords(consent(refused[index]!)),
  });
}

async function refusedByReview({ thread, parts: { engine } }: TuiSession): Promise<readonly Question[]> {
  if (thread.place === undefined) return [];
  const asked = new Map<string, Question>();
  const refused = new Map<string, Question>();
  for await (const { event } of engine.stored.events(thread.id)) {
    if (event.kind === 'question-asked') asked.set(event.question.id, event.question);
    if (event.kind !== 'question-answered' || event.answer.by !== 'review') continue;
    const question = asked.get(event.id);
    if (question === undefined) continue;
    const words = consent(question);
    refused.delete(words);
    if (event.answer.kind !== 'allowed') refused.set(words, question);
  }
  return [...refused.values()].toReversed().slice(0, mostListed);
}

/** Quotes the whole action, so that consent covers no other, and leaves out the model's justification. */
function consent({ justification: _claim, ...question }: Question): string {
  const { argv, cwd, paths = [] } = question;
  const whole = argv === undefined ? paths.map(({ path }) => path) : [commandText(argv)];
  if (cwd !== undefined) whole.push(`in the folder ${cwd}`);
  // The model knows a tool by the name in its list, not by that of the item.
  const asked = questionWords({ ...question, item: {} });
  const words = `I have seen what the reviewer refused, and I allow you to do it once: ${asked}.`;
  return [`${words} Try it again as it was.`, ...whole].join('\n');
}

export async function showRules(session: TuiSession): Promise<void> {
  const { stage, engine } = session.parts;
  const rules = await engine.user.rules();
  const listed = await rules.list(session.thread.settings.cwd);
  if (listed.length === 0)
    return session.notice('No rules are saved. The answer p to a question about a command saves one.');
  openList(stage, {
    title: 'Rules',
    items: listed.map((rule) => ({
      label: ruleWords(rule),
      about: `${decisions[rule.decision]} · ${shownPath(rule.source, { ...stage.look, cwd: '' })}`,
    })),
    hint: (key) => `${key('Enter')} revokes one, ${key('Esc')} goes back`,
    pick: (index) => confirm(session, rules, listed[index]!),
  });
}

const decisions = { allow: 'allowed', prompt: 'asked about', forbidden: 'forbidden' } as const;

function ruleWords({ about }: ListedRule): string {
  if (about.kind === 'host') return `${about.protocol}://${about.host}`;
  const slots = about.pattern.map((slot) =>
    typeof slot === 'string' ? quoteShellCommand([slot]) : `{${slot.join('|')}}`,
  );
  return `${slots.join(' ')} …`;
}

function confirm(session: TuiSession, rules: HomeRules, rule: ListedRule): void {
  const { stage } = session.parts;
  if (rule.savedAs === undefined) {
    stage.open(undefined);
    return session.notice(`This rule was written by hand. Remove it from ${rule.source}.`);
  }
  const revoke = async (): Promise<void> => {
    const problem = await rules.revoke(rule);
    if (problem !== undefined) return session.noticeProblem(problem);
    // A thread reads its rules when it is loaded.
    await session.thread.leave();
    session.notice(`The rule for ${ruleWords(rule)} is revoked.`);
  };
  const yes = { label: 'Revoke it', about: 'such commands are asked about again' };
  const title = `Revoke the rule for ${ruleWords(rule)}?`;
  askYesNo(stage, title, [{ label: 'Keep it' }, yes], () => void session.guard(revoke()));
}
