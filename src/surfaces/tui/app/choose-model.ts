import { fullText } from '../../../protocol/outcome.ts';
import { ListView } from '../views/list-view.ts';
import { compactNumber } from '../views/compact-number.ts';
import type { TuiSession } from './session.ts';

/** `/model`: by its name, or from a list; then its effort. */
export async function chooseModel(session: TuiSession, name: string): Promise<void> {
  if (name !== '') return takeModel(session, name);
  const { stage, engine } = session.parts;
  const { settings } = session.thread;
  const close = (): void => stage.open(undefined);
  const models = await engine.models();
  const asked = { cwd: settings.cwd, provider: settings.provider };
  const listed = await models.list(asked, { asksServer: false, signal: new AbortController().signal });
  if ('code' in listed) return session.notice(fullText(listed), 'error');
  const items = listed.models.map(({ model, window }) => ({
    label: model,
    about: window === undefined ? '' : `${compactNumber(window)} window`,
    isCurrent: model === settings.model,
  }));
  if (items.length === 0) {
    return session.notice(`No models of ${settings.provider} are known. Name one: /model NAME.`);
  }
  const pick = (index: number): void => {
    close();
    const chosen = listed.models[index];
    if (chosen !== undefined) void takeModel(session, chosen.model);
  };
  stage.open(new ListView({ title: `Models of ${listed.provider}`, items, isSearched: true, close, pick }));
}

async function takeModel(session: TuiSession, model: string): Promise<void> {
  const { stage, engine } = session.parts;
  if (!(await session.change({ model }))) return;
  const { settings } = session.thread;
  const shown = await (await engine.models()).show({ cwd: settings.cwd, provider: settings.provider }, model);
  const efforts = 'code' in shown ? [] : shown.record.supportedEfforts;
  const report = (): void =>
    session.notice(
      `The next turn uses ${session.thread.settings.model}${session.thread.settings.effort === undefined ? '' : ` (${session.thread.settings.effort})`}.`,
    );
  if (efforts.length < 2) return report();
  const close = (): void => {
    stage.open(undefined);
    report();
  };
  const items = efforts.map((effort) => ({ label: effort, isCurrent: effort === settings.effort }));
  const pick = (index: number): void => void session.change({ effort: efforts[index] }).then(close);
  stage.open(new ListView({ title: `Effort of ${model}`, items, close, pick }));
}
