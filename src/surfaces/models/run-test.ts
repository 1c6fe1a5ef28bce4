import type { Outcome } from '../../protocol/outcome.ts';
import type { HomeModels, ModelsAsked, PreparedTest, TestedRecord } from '../engine/home-models.ts';
import type { FoundAbility } from '../engine/judge-answer.ts';
import { print, printNote } from '../terminal/print.ts';
import { table } from '../terminal/table.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { count } from '../wording/number-words.ts';

interface TestOptions {
  readonly model: string | undefined;
  readonly dryRun: boolean;
  readonly overflow: boolean;
  readonly json: boolean;
}

/** `capstan models test`. 0: the questions were answered, whatever the answers were. */
export async function runTest(
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

/** Rows come one by one, so their columns are known before. */
const widths = { 0: 14, 1: 7 };

function row({ ability, state, detail }: FoundAbility): readonly string[] {
  return [ability.padEnd(widths[0]), state.padEnd(widths[1]), visibleLine(detail)];
}

function intention({ provider, address, model, questions }: PreparedTest): string {
  const asked = questions.filter(({ skipped }) => skipped === undefined);
  const tokens = asked.reduce((sum, question) => sum + question.tokens, 0);
  return `Sending ${asked.length} requests with about ${count(tokens)} tokens to ${visibleLine(model)} at ${provider} (${address}).`;
}

function printPlan(test: PreparedTest, json: boolean): void {
  const { provider, address, model, questions } = test;
  if (json) {
    print(`${JSON.stringify({ provider, address, model, questions })}\n`, 'json');
    return;
  }
  const rows = questions.map(({ abilities, tokens, skipped }) => [
    abilities.join(', '),
    skipped === undefined ? `about ${count(tokens)} tokens` : `skipped: ${skipped}`,
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
