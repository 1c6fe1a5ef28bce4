import { splitShellWords } from '../../../core/policy/commands/shell-quoting.ts';
import type { SkillEntry } from '../../../engine/home/skill-registry.ts';
import { outcomeText } from '../../../protocol/outcome.ts';
import { chooseFrom, ListView, type ListItem } from '../pages/list-view.ts';
import { glyphsOf } from '../screen/text/look.ts';
import type { TuiSession } from '../session/session.ts';
import { putInComposer } from './command-session.ts';
import type { SlashCommand } from './slash-commands.ts';

export async function listCustomPrompts({ parts: { engine } }: TuiSession): Promise<readonly SlashCommand[]> {
  const { prompts } = await engine.user.customPrompts();
  return prompts.map(({ name, description, takes, text }) => {
    const does = description ?? (text.split('\n')[0] ?? '').slice(0, 100);
    const places = namedPlaces(text).map((place) => `${place}=`);
    return { name: `prompts:${name}`, does, takes: (takes ?? places.join(' ')) || undefined };
  });
}

/** `/prompts:NAME ARGUMENTS` sends a prompt of the user; without a name it shows a list. */
export async function runPromptsCommand(session: TuiSession, rest: string): Promise<void> {
  const { engine } = session.parts;
  const { prompts: all, problems } = await engine.user.customPrompts();
  const [wanted = ''] = rest.split(/\s/, 1);
  const prompt =
    all.find(({ name }) => name === wanted) ?? all.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (prompt === undefined) for (const problem of problems) session.notice(outcomeText(problem), 'warning');
  if (all.length === 0)
    return session.notice(
      `You have no prompts. Put one into ${engine.home}/prompts/NAME.md: it becomes /prompts:NAME.`,
    );
  if (wanted === '') {
    return chooseFrom(session.parts.stage, {
      title: 'Your prompts',
      items: all.map(({ name, description, text }) => ({ label: name, about: description ?? text.slice(0, 200) })),
      isSearched: true,
      pick: (index) => putInComposer(session, '/prompts', `/prompts:${all[index]!.name} `),
    });
  }
  if (prompt === undefined) return session.notice(`There is no prompt ${wanted}. /prompts lists them.`, 'error');
  const { name, text } = prompt;
  const expanded = expandPrompt(text, rest.slice(wanted.length).trim());
  if (expanded.kind === 'expanded') return session.sendWords(expanded.text);
  const problem = expanded.kind === 'missing' ? `It still needs ${expanded.names.join(', ')}.` : expanded.problem;
  session.notice(`/prompts:${name} was not sent. ${problem}`, 'error');
  const more = expanded.kind === 'missing' ? expanded.names.map((each) => ` ${each}=""`).join('') : '';
  putInComposer(session, '/prompts', `/prompts:${rest}${more}`);
}

/** `missing`: names of placeholders without a value. `odd`: the text is not a valid list of arguments. */
type ExpandedPrompt =
  | { readonly kind: 'expanded'; readonly text: string }
  | { readonly kind: 'missing'; readonly names: readonly string[] }
  | { readonly kind: 'odd'; readonly problem: string };

const places = /\$(?:\$|ARGUMENTS\b|[1-9]|([A-Z][A-Z\d_]*)\b)/g;

const namedPlaces = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(places)].flatMap(([, name]) => name ?? [])),
];

/**
 * Expands a prompt: `$1` to `$9` become single arguments, `$ARGUMENTS` all of them, `$NAME` the value of `NAME=value`,
 * and `$$` a dollar sign. A number without an argument becomes empty; a name without one is reported as missing.
 */
export function expandPrompt(text: string, rest: string): ExpandedPrompt {
  const words = splitShellWords(rest);
  if (words === undefined) return { kind: 'odd', problem: 'A quotation mark has no end.' };
  const names = namedPlaces(text);
  const given = new Map<string, string>();
  if (names.length > 0) {
    for (const word of words) {
      const at = word.indexOf('=');
      if (at < 1) return { kind: 'odd', problem: `Write NAME=value instead of ${word}.` };
      given.set(word.slice(0, at), word.slice(at + 1));
    }
    const missing = names.filter((name) => !given.has(name));
    if (missing.length > 0) return { kind: 'missing', names: missing };
  }
  const expanded = text.replaceAll(places, (place: string, name: string | undefined) => {
    if (place === '$$') return '$';
    if (name !== undefined) return given.get(name) ?? '';
    return place === '$ARGUMENTS' ? rest : (words[Number(place.slice(1)) - 1] ?? '');
  });
  return { kind: 'expanded', text: expanded };
}

/** `/skills`: lists all. Enter inserts one into the draft, Ctrl+S switches it on or off. */
export async function showSkills(session: TuiSession): Promise<void> {
  const { stage, engine } = session.parts;
  const registry = await engine.user.skills();
  const { cwd } = session.thread.settings;
  let { skills: listed, problems } = await registry.list(cwd);
  for (const problem of problems) session.notice(outcomeText(problem), 'warning');
  if (listed.length === 0)
    return session.notice(`There are no skills. Put one into ${engine.home}/skills/NAME/SKILL.md.`);
  const items = (): readonly ListItem[] => listed.map((skill) => itemOf(skill, glyphsOf(stage.look)));
  const close = (): void => stage.open(undefined);
  const toggle = async ({ name, path, isOn }: SkillEntry): Promise<void> => {
    const problem = await registry.switch({ name, path }, !isOn);
    if (problem !== undefined) return session.noticeProblem(problem);
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
