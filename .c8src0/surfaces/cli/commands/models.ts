import type { HomeModels, ModelListOptions, PreparedTest } from '../../../engine/models/home-models.ts';
import type { FoundAbility } from '../../../engine/models/model-test.ts';
import { formatCount } from '../../../engine/wording.ts';
import type { Json } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { withEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { printResult, formatTable } from '../../views/terminal/tables.ts';
import { print, printNote } from '../../views/terminal/print.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';
import type { modelsCommand } from '../table/settings-commands.ts';
import { resolve } from 'node:path';

type Options = CommandArguments<typeof modelsCommand>['options'];

export const run = withEngine<typeof modelsCommand>(async ({ variant, words: [model], options }, { engine, cwd }) => {
  const models = await engine.user.models();
  const asked = { cwd: resolve(cwd, options.folder ?? '.'), provider: options.provider };
  switch (variant) {
    case 'list':
      return list(models, asked, options);
    case 'show':
      return show(models, asked, model ?? '', options);
    case 'test':
      return runTest(models, asked, model, options);
  }
});

async function list(models: HomeModels, asked: ModelListOptions, options: Options): Promise<number | Outcome> {
  const found = await models.list(asked, { asksServer: !options.offline, signal: new AbortController().signal });
  if ('code' in found) return found;
  const { server, problem, ...rest } = found;
  const rows = found.models.map(({ isTested, ...row }) => ({ ...row, tested: isTested }));
  printResult({ ...rest, models: rows, server, problem }, options, () =>
    formatTable(
      rows.map(({ model, window, source, tested }) => [
        visibleLine(model),
        window ?? '',
        visibleLine(source),
        tested ? 'tested' : '',
      ]),
      { right: [1] },
    ),
  );
  if (server === 'silent' && !options.json) {
    const known = rows.length === 0 ? 'Capstan knows no model of it.' : 'This is what Capstan knows without it.';
    printNote(`${found.provider} at ${found.address} gave no list of models. ${known}`);
    if (problem !== undefined) printNote(`${problem.message} ${problem.next}`);
  }
  return 0;
}

async function show(models: HomeModels, asked: ModelListOptions, model: string, options: Options) {
  const shown = await models.show(asked, model);
  if ('code' in shown) return shown;
  const { provider, record, sourceOf } = shown;
  // Everything that is known except the instructions, which are long.
  const fields = (Object.entries(names) as readonly (readonly [keyof typeof names, string])[]).flatMap(
    ([key, field]) => {
      const value = record[key] as Json | undefined;
      return value === undefined ? [] : [{ field, value, source: sourceOf(key) }];
    },
  );
  printResult({ provider, model: record.slug, known: !record.guessed, fields }, options, () =>
    formatTable(
      fields.map(({ field, value, source }) => [
        field,
        typeof value === 'string' ? visibleLine(value) : JSON.stringify(value),
        visibleLine(source),
      ]),
    ),
  );
  if (record.guessed && !shown.isTested && !options.json) {
    const name = visibleLine(model);
    printNote(
      `No catalogue knows ${name}. \`capstan models test ${name} --provider ${provider} --dry-run\` says what a test of it would send.`,
    );
  }
  return 0;
}

const names = {
  contextWindow: 'context_window',
  maxContextWindow: 'max_context_window',
  effectivePercent: 'effective_context_window_percent',
  autoCompactTokens: 'auto_compact_token_limit',
  maxOutputTokens: 'max_output_tokens',
  truncation: 'truncation_policy',
  defaultEffort: 'default_reasoning_level',
  supportedEfforts: 'supported_reasoning_levels',
  defaultSummary: 'default_reasoning_summary',
  defaultVerbosity: 'default_verbosity',
  serviceTiers: 'service_tiers',
  modalities: 'input_modalities',
  editTools: 'edit_tools',
  parallelCalls: 'parallel_calls',
  compatibility: 'comp_hash',
} as const;

/** Exit code 0: the questions were answered, whatever the answers were. */
async function runTest(
  models: HomeModels,
  asked: ModelListOptions,
  wanted: string | undefined,
  { dryRun, overflow, json }: Options,
): Promise<number | Outcome> {
  const test = await models.test(asked, { model: wanted, wantsOverflow: overflow });
  if ('code' in test) return test;
  if (dryRun) return printPlan(test, json);
  printNote(intention(test));
  const found: FoundAbility[] = [];
  const ended = await test.run((each) => {
    found.push(each);
    if (!json) print(formatTable([row(each)], { whole: [0, 1], most: widths }), 'text');
  }, new AbortController().signal);
  if ('code' in ended) return ended;
  const { provider, model } = test;
  const { fields, file, isUnused } = ended;
  if (json) return printResult({ provider, model, found, record: fields, file: file ?? null }, { json }, () => '');
  for (const { ability, next } of found) if (next !== undefined) printNote(`${ability}: ${next}`);
  if (file === undefined) printNote('What was found could not be kept: the home folder cannot be written.');
  else if (isUnused) printNote('What was found has no effect as long as model_catalog_json is set.');
  else printNote(`What was found counts in new threads. It is kept in ${file}.`);
  return 0;
}

/** Rows are printed one by one, so the column widths are fixed in advance. */
const widths = { 0: 14, 1: 7 };

const row = ({ ability, state, detail }: FoundAbility): readonly string[] => [
  ability.padEnd(widths[0]),
  state.padEnd(widths[1]),
  visibleLine(detail),
];

function intention({ provider, address, model, questions }: PreparedTest): string {
  const asked = questions.filter(({ skipped }) => skipped === undefined);
  const tokens = asked.reduce((sum, question) => sum + question.tokens, 0);
  return `Sending ${asked.length} requests with about ${formatCount(tokens)} tokens to ${visibleLine(model)} at ${provider} (${address}).`;
}

function printPlan(test: PreparedTest, json: boolean): number {
  const { provider, address, model, questions } = test;
  const rows = questions.map(({ abilities, tokens, skipped }) => [
    abilities.join(', '),
    skipped === undefined ? `about ${formatCount(tokens)} tokens` : `skipped: ${skipped}`,
  ]);
  printResult({ provider, address, model, questions }, { json }, () => formatTable(rows));
  if (!json) printNote(intention(test).replace('Sending', 'Nothing was sent. A test sends'));
  return 0;
}
