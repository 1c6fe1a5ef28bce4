import type { CheckedLayer } from './check-layers.ts';
import { sourceOf } from './config-layer.ts';
import { type ConfigProblem, keyProblem } from './config-problem.ts';
import { formatTomlKey } from './toml-key.ts';
import { valueAt } from '../protocol/json.ts';

interface Found {
  readonly rank: number;
  readonly layer: CheckedLayer['layer'];
  readonly path: readonly string[];
  readonly value: number;
}

/** Shares of the window that cannot hold together. The higher layer is reported: the lower was right before it came. */
export function windowProblems(checked: readonly CheckedLayer[]): readonly ConfigProblem[] {
  const find = (key: string): Found | undefined => findKey(checked, ['window', key]);
  const [tokens, percent] = [find('effective_tokens'), find('effective_percent')];
  const [compact, reserve] = [find('auto_compact_percent'), find('reserve_percent')];
  const problems: ConfigProblem[] = [];
  if (tokens !== undefined && percent !== undefined) {
    const [upper, lower] = percent.rank >= tokens.rank ? [percent, tokens] : [tokens, percent];
    problems.push(
      keyProblem(upper.layer, upper.path, {
        code: 'config-overridden-key',
        severity: 'warning',
        what: `and ${named(lower)} are both set: Capstan uses the number of tokens and ignores the share`,
        next: 'Remove one of the two.',
      }),
    );
  }
  if (compact !== undefined && reserve !== undefined && compact.value + reserve.value > 100) {
    const [upper, lower] = reserve.rank >= compact.rank ? [reserve, compact] : [compact, reserve];
    problems.push(
      keyProblem(upper.layer, upper.path, {
        code: 'config-wrong-value',
        severity: 'error',
        what: `(${upper.value}) and ${named(lower)} (${lower.value}) add up to more than 100`,
        next: 'Lower one of them: a thread must be compacted while there is still space for the compaction request.',
      }),
    );
  }
  return problems;
}

function findKey(checked: readonly CheckedLayer[], path: readonly string[]): Found | undefined {
  const rank = checked.findLastIndex(({ values }) => valueAt(values, path) !== undefined);
  const found = checked[rank];
  const value = found === undefined ? undefined : valueAt(found.values, path);
  return found === undefined || typeof value !== 'number' ? undefined : { rank, layer: found.layer, path, value };
}

function named({ layer, path }: Found): string {
  return `${formatTomlKey(path)} of ${sourceOf(layer, path)}`;
}
