import type { ThreadId } from '../../../protocol/ids.ts';
import { fullText } from '../../../protocol/outcome.ts';
import { agoWords } from '../../wording/time-words.ts';
import { ListView } from '../views/list-view.ts';
import type { TuiSession } from './session.ts';

const mostListed = 100;

/** `/new`: another conversation in the same folder, with the same settings of the configuration. */
export async function startAnew(session: TuiSession): Promise<void> {
  const { threads } = session.parts;
  const opened = await threads.start({ cwd: session.thread.settings.cwd });
  if (opened.kind === 'refused') return session.notice(fullText(opened.outcome), 'error');
  await session.switchTo(opened);
}

/** `/resume`: an earlier conversation, by its name or from a list. */
export async function chooseThreadView(session: TuiSession, name: string): Promise<void> {
  const { stage, engine, now } = session.parts;
  const { cwd } = session.thread.settings;
  if (name !== '') {
    const chosen = await engine.stored.choose({ kind: 'named', name });
    if (chosen.kind === 'none') return session.notice(fullText(chosen), 'error');
    return resume(session, chosen.id);
  }
  const page = await engine.stored.list({ cwd, limit: mostListed, sort: 'updated' });
  if ('code' in page) return session.notice(fullText(page), 'error');
  const listed = page.threads.filter(({ id }) => id !== session.thread.id);
  if (listed.length === 0) return session.notice('There is no earlier conversation in this folder.');
  const close = (): void => stage.open(undefined);
  const items = listed.map(({ name: title, preview, updatedAt, gitBranch, questions = 0 }) => ({
    label: (title ?? preview).slice(0, 200),
    about: [agoWords(updatedAt, now()), gitBranch, questions > 0 ? 'waits for an answer' : undefined]
      .filter((part) => part !== undefined)
      .join(', '),
  }));
  const pick = (index: number): void => {
    close();
    const chosen = listed[index];
    if (chosen !== undefined) void resume(session, chosen.id);
  };
  stage.open(new ListView({ title: 'Resume a conversation', items, isSearched: true, close, pick }));
}

async function resume(session: TuiSession, id: ThreadId): Promise<void> {
  const opened = await session.parts.threads.load(id);
  if (opened.kind === 'refused') return session.notice(fullText(opened.outcome), 'error');
  await session.switchTo(opened);
}
