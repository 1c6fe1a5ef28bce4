// npm run bench:compaction: what is left of fixed threads after they were folded, by strategy and by how a model behaves.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../src/index.ts';
import { plainTable } from '../report/table.ts';
import { combinations } from './combinations.ts';
import { parseOptions, usage } from './options.ts';
import { resultsPage, runTable, sumTable } from './report.ts';
import { type Run, run } from './run.ts';

const options = parseOptions(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(`${options}\n\n${usage}`);
  process.exit(2);
}

const runs: Run[] = [];
for (const { transcript, strategy, summariser } of combinations(options)) {
  runs.push(await run(transcript, strategy, summariser));
  console.error(`${runs.length} ${strategy} ${runs.at(-1)!.by} ${transcript.id}`);
}

console.log(`${plainTable(runTable(runs))}\n${plainTable(sumTable(runs))}`);
for (const { transcript, strategy, by, result } of runs) {
  const missing = 'failed' in result ? [] : result.score.missing;
  if (options.real !== undefined && missing.length > 0) {
    console.log(`${transcript}, ${strategy}, ${by} lost: ${missing.join(' | ')}`);
  }
}
const isWhole = [options.transcripts, options.strategies, options.behaviours].every((chosen) => chosen.length === 0);
if (isWhole && options.real === undefined) {
  writeFileSync(join(import.meta.dirname, 'RESULTS.md'), resultsPage(runs, version));
}
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(runs, undefined, 2)}\n`);
