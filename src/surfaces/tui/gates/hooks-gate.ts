import { defined } from '../../../protocol/defined.ts';
import { fullText } from '../../../protocol/outcome.ts';
import type { ConfiguredHook } from '../../engine/configured-hooks.ts';
import type { Engine } from '../../engine/engine.ts';
import { exactLine } from '../../terminal/exact-text.ts';
import { drawRows } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { GateDesk } from './gate-desk.ts';

interface HooksGateParts {
  readonly desk: GateDesk;
  readonly engine: Engine;
  /** Shows rows on a screen of their own, until the user closes it. */
  showRows(title: string, rows: (look: Look) => readonly string[]): Promise<void>;
}

/** Hooks that are new or have changed run only when the user says so. */
export async function askForHooks(
  { desk, engine, showRows }: HooksGateParts,
  hooks: readonly ConfiguredHook[],
): Promise<'decided' | 'open' | 'left'> {
  const changed = hooks.filter(({ trust }) => trust === 'modified').length;
  const isOne = hooks.length === 1;
  const count = isOne ? 'One hook waits' : `${hooks.length} hooks wait`;
  const them = isOne ? 'it' : 'them';
  let problem: string | undefined;
  for (;;) {
    const chosen = await desk.ask({
      title: `${count} for your decision.`,
      text: [
        `Hooks are programs that Capstan runs by itself, outside the sandbox. ${changed === 0 ? `You have not decided about ${isOne ? 'this one' : 'these'}.` : `${changed} changed since you trusted ${changed === 1 ? 'it' : 'them'}.`}`,
      ],
      ...defined({ problem }),
      choices: [
        { label: `Show ${them}`, about: hooks.map(({ command }) => beginning(exactLine(command))).join(' | ') },
        { label: `Trust ${them}`, about: `as ${isOne ? 'it is' : 'they are'} now; saved`, allows: true },
        { label: `Go on without ${them}`, about: `${isOne ? 'it does' : 'they do'} not run` },
      ],
    });
    if (chosen === 'left') return 'left';
    if (chosen === 'back' || chosen === 2) return 'open';
    if (chosen === 0) {
      await desk.aside(() => showRows('Hooks', (look) => hookRows(hooks, look)));
      continue;
    }
    const failed = await engine.trust.decideHooks(hooks, 'trust');
    if (failed === undefined) return 'decided';
    problem = fullText(failed);
  }
}

function beginning(text: string): string {
  const signs = [...text];
  return signs.length > 60 ? `${signs.slice(0, 59).join('')}…` : text;
}

function hookRows(hooks: readonly ConfiguredHook[], look: Look): readonly string[] {
  const rows = hooks.flatMap(({ event, matcher, command, trust, source, timeoutSeconds }): readonly Row[] => {
    const on = exactLine(matcher === undefined ? event : `${event} ${matcher}`);
    const state = trust === 'modified' ? 'changed' : 'new';
    const line = (text: string, style = {}): readonly Row[] =>
      wrapRow([styled(text, style)], { width: look.width, first: [plain('  ')] });
    return [
      [styled(`${on} (${state})`, boldStyle)],
      ...line(exactLine(command, 'words')),
      ...line(exactLine(`from ${source.path}, ends after ${timeoutSeconds} s`), dimStyle),
      [],
    ];
  });
  return drawRows(rows, look);
}
