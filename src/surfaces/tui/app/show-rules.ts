import { fullText } from '../../../protocol/outcome.ts';
import { shellWords } from '../../../protocol/shell-words.ts';
import type { HomeRules, ListedRule } from '../../engine/home-rules.ts';
import { shownPath } from '../text/shown-path.ts';
import { ListView } from '../views/list-view.ts';
import type { TuiSession } from './session.ts';

/** `/rules`: the saved rules about commands and hosts, and a way to revoke them. */
export async function showRules(session: TuiSession): Promise<void> {
  const { stage, engine } = session.parts;
  const rules = await engine.user.rules();
  const listed = await rules.list(session.thread.settings.cwd);
  if (listed.length === 0) {
    return session.notice('No rules are saved. The answer p to a question about a command saves one.');
  }
  const items = listed.map((rule) => ({
    label: ruleWords(rule),
    about: `${decisions[rule.decision]} · ${shownPath(rule.source, { ...stage.look, cwd: '' })}`,
  }));
  const close = (): void => stage.open(undefined);
  const pick = (index: number): void => confirm(session, rules, listed[index]!);
  stage.open(
    new ListView({
      title: 'Rules',
      items,
      hint: (key) => `${key('Enter')} revokes one, ${key('Esc')} goes back`,
      pick,
      close,
    }),
  );
}

const decisions = { allow: 'allowed', prompt: 'asked about', forbidden: 'forbidden' } as const;

function ruleWords({ about }: ListedRule): string {
  if (about.kind === 'host') return `${about.protocol}://${about.host}`;
  const slots = about.pattern.map((slot) => (typeof slot === 'string' ? shellWords([slot]) : `{${slot.join('|')}}`));
  return `${slots.join(' ')} …`;
}

function confirm(session: TuiSession, rules: HomeRules, rule: ListedRule): void {
  const { stage } = session.parts;
  const close = (): void => stage.open(undefined);
  if (rule.savedAs === undefined) {
    close();
    return session.notice(`This rule was written by hand. Remove it from ${rule.source}.`);
  }
  const items = [{ label: 'Keep it' }, { label: 'Revoke it', about: 'such commands are asked about again' }];
  const revoke = async (): Promise<void> => {
    close();
    const problem = await rules.revoke(rule);
    if (problem !== undefined) return session.notice(fullText(problem), 'error');
    // A thread reads its rules when it is loaded.
    await session.thread.leave();
    session.notice(`The rule for ${ruleWords(rule)} is revoked.`);
  };
  const pick = (index: number): void => void (index === 1 ? session.guard(revoke()) : close());
  stage.open(new ListView({ title: `Revoke the rule for ${ruleWords(rule)}?`, items, pick, close }));
}
