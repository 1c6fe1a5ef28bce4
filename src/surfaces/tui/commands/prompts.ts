import { fullText } from '../../../protocol/outcome.ts';
import type { CustomPrompt } from '../../engine/custom-prompts.ts';
import { ListView } from '../views/list-view.ts';
import type { SlashCommand } from '../views/slash-table.ts';
import type { CommandSession } from './command-session.ts';
import { putInComposer } from './put-in-composer.ts';
import { expandPrompt, namedPlaces } from './expand-prompt.ts';

/** Prompts of the user, as the list of commands shows them. */
export async function listedPrompts({ parts: { engine } }: CommandSession): Promise<readonly SlashCommand[]> {
  const { prompts } = await engine.user.customPrompts();
  return prompts.map((prompt) => {
    const takes = takesOf(prompt);
    const does = prompt.description ?? (prompt.text.split('\n')[0] ?? '').slice(0, 100);
    return { name: `prompts:${prompt.name}`, does, whileRunning: true, ...(takes === '' ? {} : { takes }) };
  });
}

function takesOf({ takes, text }: CustomPrompt): string {
  return (
    takes ??
    namedPlaces(text)
      .map((name) => `${name}=`)
      .join(' ')
  );
}

/** `/prompts:NAME ARGUMENTS` sends a prompt of the user's; without a name there is a list. */
export async function prompts(session: CommandSession, rest: string): Promise<void> {
  const { engine } = session.parts;
  const { prompts: all, problems } = await engine.user.customPrompts();
  const [wanted = ''] = rest.split(/\s/, 1);
  const prompt =
    all.find(({ name }) => name === wanted) ?? all.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  if (prompt === undefined) for (const problem of problems) session.notice(fullText(problem), 'warning');
  if (all.length === 0) {
    return session.notice(
      `You have no prompts. Put one into ${engine.home}/prompts/NAME.md: it becomes /prompts:NAME.`,
    );
  }
  if (wanted === '') return choose(session, all);
  if (prompt === undefined) {
    return session.notice(`There is no prompt ${wanted}. /prompts lists them.`, 'error');
  }
  const { name, text } = prompt;
  const expanded = expandPrompt(text, rest.slice(wanted.length).trim());
  if (expanded.kind === 'expanded') return session.sendWords(expanded.text);
  const problem = expanded.kind === 'missing' ? `It still needs ${expanded.names.join(', ')}.` : expanded.problem;
  session.notice(`/prompts:${name} was not sent. ${problem}`, 'error');
  const more = expanded.kind === 'missing' ? expanded.names.map((each) => ` ${each}=""`).join('') : '';
  putInComposer(session, '/prompts', `/prompts:${rest}${more}`);
}

function choose(session: CommandSession, all: readonly CustomPrompt[]): void {
  const { stage } = session.parts;
  const close = (): void => stage.open(undefined);
  stage.open(
    new ListView({
      title: 'Your prompts',
      items: all.map(({ name, description, text }) => ({ label: name, about: description ?? text.slice(0, 200) })),
      isSearched: true,
      close,
      pick(index) {
        close();
        putInComposer(session, '/prompts', `/prompts:${all[index]!.name} `);
      },
    }),
  );
}
