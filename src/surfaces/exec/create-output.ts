import type { Outcome } from '../../protocol/outcome.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ExecArguments } from '../views/command-line/exec-command.ts';
import { wantsColor } from '../views/terminal/styled-text.ts';
import { canRewriteLines, StatusScreen } from '../views/terminal/screen.ts';
import { jsonOutput } from './json-output.ts';
import type { ExecPrinter } from './output.ts';
import { PlainOutput } from './plain-output.ts';

type Shared = 'json' | 'color' | 'contextEvents' | 'verbose' | 'ephemeral';
type OutputOptions = Pick<ExecArguments['options'], Shared> &
  Partial<Pick<ExecArguments['options'], 'sdkJson' | 'approvals' | 'maxCost' | 'maxTokens'>>;

export function createOutput(
  options: OutputOptions,
  { engine }: { readonly engine: Pick<Engine, 'recordIfNews'> },
  /** `resumable`: resuming the thread continues the work of the run. */
  { resumable = true }: { readonly resumable?: boolean } = {},
): ExecPrinter {
  const { sdkJson = false, color = 'auto', contextEvents: context, verbose, ephemeral, approvals } = options;
  const stream = process.stderr;
  const live = canRewriteLines(stream);
  const recordIfNews = (outcome: Outcome): boolean => engine.recordIfNews(outcome, { keeps: !ephemeral });
  const screen = new StatusScreen({ stream, color: wantsColor(stream, color), live });
  if (options.json || sdkJson) return jsonOutput(screen, { context, verbose, recordIfNews });
  const repeated = { limits: { cost: options.maxCost, tokens: options.maxTokens }, approvals };
  return new PlainOutput(screen, { live, verbose, resumable: resumable && !ephemeral, recordIfNews, ...repeated });
}
