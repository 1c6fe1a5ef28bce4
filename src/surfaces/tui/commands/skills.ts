import { fullText } from '../../../protocol/outcome.ts';
import type { SkillEntry } from '../../engine/skill-registry.ts';
import { glyphsOf } from '../text/glyphs.ts';
import { type ListItem, ListView } from '../views/list-view.ts';
import type { CommandSession } from './command-session.ts';
import { putInComposer } from './put-in-composer.ts';

/** `/skills`: all of them. Enter puts one into the draft, Ctrl+S switches it on or off. */
export async function skills(session: CommandSession): Promise<void> {
  const { stage, engine } = session.parts;
  const registry = await engine.user.skills();
  const { cwd } = session.thread.settings;
  let { skills: listed, problems } = await registry.list(cwd);
  for (const problem of problems) session.notice(fullText(problem), 'warning');
  if (listed.length === 0) {
    return session.notice(`There are no skills. Put one into ${engine.home}/skills/NAME/SKILL.md.`);
  }
  const items = (): readonly ListItem[] => listed.map((skill) => itemOf(skill, glyphsOf(stage.look)));
  const close = (): void => stage.open(undefined);
  const toggle = async ({ name, path, isOn }: SkillEntry): Promise<void> => {
    const problem = await registry.switch({ name, path }, !isOn);
    if (problem !== undefined) return session.notice(fullText(problem), 'error');
    ({ skills: listed, problems } = await registry.list(cwd));
    view.update({ items: items(), title: 'Skills: what you switch counts when Capstan is started again' });
    stage.draw();
  };
  const view = new ListView({
    title: 'Skills',
    items: items(),
    isSearched: true,
    hint: (key) =>
      `${key('Enter')} puts one into the message, ${key('Ctrl+S')} switches it on or off, ${key('Esc')} goes back`,
    keys: { 'ctrl+s': (index) => session.inBackground(toggle(listed[index]!)) },
    close,
    pick(index) {
      close();
      putInComposer(session, '/skills', `$${listed[index]!.name} `);
    },
  });
  stage.open(view);
}

function itemOf(
  { name, description, scope, isOn, isOffered }: SkillEntry,
  { boxDone, boxOpen }: ReturnType<typeof glyphsOf>,
): ListItem {
  const notes = [scope, ...(isOn ? [] : ['off']), ...(isOffered ? [] : ['only when you name it'])];
  return { label: `${isOn ? boxDone : boxOpen} ${name}`, about: `${description} (${notes.join(', ')})` };
}
