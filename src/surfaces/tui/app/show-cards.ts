import { approvalName } from '../../../policy/approval-policy.ts';
import { sandboxLevelOf } from '../../../policy/describe-policy.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { usedTokens } from '../../../protocol/usage.ts';
import { windowPage } from '../../context/show-window.ts';
import { tellStory } from '../../context/thread-story.ts';
import { windowView } from '../../context/window-view.ts';
import { paint } from '../../terminal/look.ts';
import { moneyWords } from '../../wording/money-words.ts';
import { count } from '../../wording/number-words.ts';
import { policyInForce } from '../../wording/policy-in-force.ts';
import type { Cell } from '../cells/cell.ts';
import { cleanLine } from '../text/clean.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { paintedRows } from '../text/painted-rows.ts';
import { shownPath } from '../text/shown-path.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import type { TuiSession } from './session.ts';

/** `/status`: what is in force, and what the thread has cost. All figures are the engine's. */
export function showStatus(session: TuiSession): void {
  const { stage } = session.parts;
  const { id, settings, profileName } = session.thread;
  const usage = session.thread.usage();
  const { total, tokens, effectiveWindow, percentRemaining, measure } = usage;
  const { model, effort, provider, cwd, approval, collaboration } = settings;
  const about = measure === 'exact' ? '' : 'about ';
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['Model', `${model}${effort === undefined ? '' : ` (${effort})`} via ${provider}`],
    ['Folder', shownPath(cwd, { ...stage.look, cwd: '' })],
    ['Permissions', `${profileName ?? sandboxLevelOf(policyInForce(settings))}, approval ${approvalName(approval)}`],
    ['Mode', collaboration?.mode ?? 'default'],
    ['Thread', id],
    ['Context', `${Math.round(percentRemaining)} % left: ${about}${count(tokens)} of ${count(effectiveWindow)} tokens`],
    [
      'Tokens',
      `${count(usedTokens(total))} used: ${count(total.input)} input (${count(total.cachedInput)} cached), ${count(total.output)} output`,
    ],
    ['Cost', moneyWords(total.cost)],
  ];
  const cell: Cell = {
    rows(look) {
      const rows: readonly Row[] = [
        [styled('Status', boldStyle)],
        ...facts.map(([name, value]): Row => [styled(`  ${name.padEnd(13)}`, dimStyle), plain(cleanLine(value))]),
      ];
      return rows.map((row) => drawRow(cutRow(row, look.width, look), look));
    },
  };
  stage.transcript.add({ cell, isFinal: true });
  stage.draw();
}

/** `/context`: what fills the window, as `capstan context` shows it. */
export async function showContext(session: TuiSession): Promise<void> {
  const { stage, engine, threads } = session.parts;
  const { id, place } = session.thread;
  if (place === undefined) return session.notice('Nothing was sent yet: the window is empty.');
  const story = tellStory((await engine.stored.read(id as ThreadId)).lines);
  const view = windowView(story, await threads.preview(id, story.state));
  const cell: Cell = {
    rows(look) {
      const form = { width: look.width, proseWidth: look.width, color: true };
      return paintedRows(paint(windowPage(view, story, form), true), look);
    },
  };
  stage.transcript.add({ cell, isFinal: true });
  stage.draw();
}
