import { resolve } from 'node:path';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandArguments } from '../commands/command.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { modelsCommand } from '../commands/models-command.ts';
import type { HomeModels, ModelsAsked } from '../engine/home-models.ts';
import { print, printNote } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { shownRecord } from './shown-record.ts';
import { runTest } from './run-test.ts';

type Given = CommandArguments<typeof modelsCommand>;

/** `capstan models`. */
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
