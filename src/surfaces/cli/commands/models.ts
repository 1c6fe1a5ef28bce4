import { defined } from '../../../base/objects.ts';
import type {
  HomeModels,
  ModelsAsked,
  PreparedTest,
  ShownModel,
  TestedRecord,
} from '../../../engine/models/home-models.ts';
import type { FoundAbility } from '../../../engine/models/model-test.ts';
import { formatCount } from '../../../engine/wording.ts';
import type { Json } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { loadCommandEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { table } from '../../views/terminal/page.ts';
import { print, printNote } from '../../views/terminal/print.ts';
import { visibleLine } from '../../views/terminal/text.ts';
import type { modelsCommand } from '../table/settings-commands.ts';
import { resolve } from 'node:path';

type Given = CommandArguments<typeof modelsCommand>;

export async function run({ variant, words: [model], options }: Given): Promise<number | Outcome> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const models = await loaded.engine.user.models();
  const { provider, folder = '.' } = options;
  const asked = { cwd: resolve(loaded.cwd, folder), ...defined({ provider }) };
  switch (variant) {
    case 'list':
      return list(models, asked, options);
    case 'show':
      return show(models, asked, { ...options, model: model ?? '' });
    case 'test':
      return runTest(models, asked, { ...options, model });
  }
}

async function list(
  models: HomeModels,
  asked: ModelsAsked,
  { offline, json }: Pick<Given['options'], 'offline' | 'json'>,
): Promise<number | Outcome> {
  const found = await models.list(asked, { asksServer: !offline, signal: new AbortController().signal });
  if ('code' in found) return found;
  if (json) {
    const { server, problem, ...rest } = found;
    const rows = found.models.map(({ isTested, ...row }) => ({ ...row, tested: isTested }));
    print(`${JSON.stringify({ ...rest, models: rows, server, ...defined({ problem }) })}\n`, 'json');
    return 0;
  }
  const rows = found.models.map(({ model, window, source, isTested }) => [
    visibleLine(model),
    window ?? '',
    visibleLine(source),
    isTested ? 'tested' : '',
  ]);
  print(table(rows, { right: [1] }), 'text');
  if (found.server === 'silent') {
    const known = rows.length === 0 ? 'Capstan knows no model of it.' : 'This is what Capstan knows without it.';
    printNote(`${found.provider} at ${found.address} gave no list of models. ${known}`);
    if (found.problem !== undefined) printNote(`${found.problem.message} ${found.problem.next}`);
  }
  return 0;
}

async function show(
  models: HomeModels,
  asked: ModelsAsked,
  { model, json }: { readonly model: string; readonly json: boolean },
): Promise<number | Outcome> {
  const shown = await models.show(asked, model);
  if ('code' in shown) return shown;
  const { provider, record } = shown;
  const fields = shownRecord(shown);
  if (json) {
    print(`${JSON.stringify({ provider, model: record.slug, known: !record.guessed, fields })}\n`, 'json');
    return 0;
  }
  print(table(fields.map(({ field, value, source }) => [field, shownValue(value), visibleLine(source)])), 'text');
  if (record.guessed && !shown.isTested) {
    printNote(
      `No catalogue knows ${visibleLine(model)}. \`capstan models test ${visibleLine(model)} --provider ${provider} --dry-run\` says what a test of it would send.`,
    );
  }
  return 0;
}

function shownValue(value: unknown): string {
  return typeof value === 'string' ? visibleLine(value) : JSON.stringify(value);
}

export interface RecordField {
  readonly field: string;
  readonly value: Json;
  readonly source: string;
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

/** Everything known about a model except its instructions, which are long. */
function shownRecord({ record, sourceOf }: ShownModel): readonly RecordField[] {
  const entries = Object.entries(names) as readonly (readonly [keyof typeof names, string])[];
  return entries.flatMap(([key, field]) => {
    const value = record[key] as Json | undefined;
    return value === undefined ? [] : [{ field, value, source: sourceOf(key) }];
  });
}

interface TestOptions {
  readonly model: string | undefined;
  readonly dryRun: boolean;
  readonly overflow: boolean;
  readonly json: boolean;
}

/** `capstan models test`. Exit code 0: the questions were answered, whatever the answers were. */
async function runTest(
  models: HomeModels,
  asked: ModelsAsked,
  { model, dryRun, overflow, json }: TestOptions,
): Promise<number | Outcome> {
  const test = await models.test(asked, { model, wantsOverflow: overflow });
  if ('code' in test) return test;
  if (dryRun) {
    printPlan(test, json);
    return 0;
  }
  printNote(intention(test));
  const found: FoundAbility[] = [];
  const ended = await test.run((each) => {
    found.push(each);
    if (!json) print(table([row(each)], { whole: [0, 1], most: widths }), 'text');
  }, new AbortController().signal);
  if ('code' in ended) return ended;
  printEnd(test, { found, ended, json });
  return 0;
}

/** Rows are printed one by one, so the column widths are fixed in advance. */
const widths = { 0: 14, 1: 7 };

function row({ ability, state, detail }: FoundAbility): readonly string[] {
  return [ability.padEnd(widths[0]), state.padEnd(widths[1]), visibleLine(detail)];
}

function intention({ provider, address, model, questions }: PreparedTest): string {
  const asked = questions.filter(({ skipped }) => skipped === undefined);
  const tokens = asked.reduce((sum, question) => sum + question.tokens, 0);
  return `Sending ${asked.length} requests with about ${formatCount(tokens)} tokens to ${visibleLine(model)} at ${provider} (${address}).`;
}

function printPlan(test: PreparedTest, json: boolean): void {
  const { provider, address, model, questions } = test;
  if (json) {
    print(`${JSON.stringify({ provider, address, model, questions })}\n`, 'json');
    return;
  }
  const rows = questions.map(({ abilities, tokens, skipped }) => [
    abilities.join(', '),
    skipped === undefined ? `about ${formatCount(tokens)} tokens` : `skipped: ${skipped}`,
  ]);
  print(table(rows), 'text');
  printNote(intention(test).replace('Sending', 'Nothing was sent. A test sends'));
}

interface TestEnd {
  readonly found: readonly FoundAbility[];
  readonly ended: TestedRecord;
  readonly json: boolean;
}

function printEnd({ provider, model }: PreparedTest, { found, ended, json }: TestEnd): void {
  const { fields, file, isUnused } = ended;
  if (json) {
    print(`${JSON.stringify({ provider, model, found, record: fields, file: file ?? null })}\n`, 'json');
    return;
  }
  for (const { ability, next } of found) if (next !== undefined) printNote(`${ability}: ${next}`);
  if (file === undefined) printNote('What was found could not be kept: the home folder cannot be written.');
  else if (isUnused) printNote('What was found has no effect as long as model_catalog_json is set.');
  else printNote(`What was found counts in new threads. It is kept in ${file}.`);
}
