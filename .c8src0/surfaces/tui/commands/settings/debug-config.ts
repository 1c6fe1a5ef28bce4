import type { TuiSession } from '../../session/session.ts';
import { outcomeText } from '../../../../protocol/outcome.ts';
import { layerState, configToml } from '../../../views/wording/settings-text.ts';
import type { LoadedConfig } from '../../../../engine/home/folder-config.ts';
import { cleanLines } from '../../screen/text/clean-text.ts';
import { drawRows } from '../../screen/text/draw-row.ts';
import type { Look } from '../../screen/text/look.ts';
import { boldStyle, dimStyle, plain, type Row, styled, warnStyle } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import { openPage } from '../../pages/pager-view.ts';

export async function showConfigLayers(session: TuiSession): Promise<void> {
  const { stage, engine } = session.parts;
  const configured = await engine.config.inFolder(session.thread.settings.cwd);
  if ('code' in configured) return session.noticeProblem(configured);
  openPage(stage, { title: 'Configuration', rows: (look) => configRows(configured, look) });
}

function configRows(configured: LoadedConfig, look: Look): readonly string[] {
  const { layers, problems, notices, requirementsFile } = configured;
  const wrapped = (text: string, style = {}): readonly Row[] =>
    cleanLines(text).flatMap((line) => wrapRow([styled(line, style)], { width: look.width, rest: [plain('    ')] }));
  const files = layers.toReversed().filter(({ name }) => name !== 'default');
  const layerRows = files.flatMap((layer) => {
    const state = layerState(layer, configured);
    return wrapped(`  ${layer.name.padEnd(9)} ${layer.source}${state === '' ? '' : ` (${state})`}`);
  });
  const rows: readonly Row[] = [
    [styled('Layers, the one that wins first', boldStyle)],
    ...layerRows,
    ...(requirementsFile === undefined ? [] : wrapped(`  What may be chosen at all: ${requirementsFile}`, dimStyle)),
    [],
    ...[...problems, ...notices].flatMap((each) => wrapped(outcomeText(each), warnStyle)),
    ...(problems.length + notices.length === 0 ? [] : [[]]),
    [styled('Values, and where each comes from', boldStyle)],
    ...wrapped(configToml(configured, { origin: true }).trimEnd()),
  ];
  return drawRows(rows, look);
}
