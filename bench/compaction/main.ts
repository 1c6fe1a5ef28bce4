// npm run bench:compaction: what is left of threads and conversations after they were compacted, by strategy and by how
// a model behaves, beside Codex.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../src/index.ts';
import { readMachine } from '../machine.ts';
import { plainTable } from '../report/table.ts';
import { behaviours } from './behaviours.ts';
import { combinations } from './combinations.ts';
import { conversationFaults, conversationTable } from './conversations/conversation-report.ts';
import { runConversations } from './conversations/run-conversations.ts';
import { installCodex } from './install-codex.ts';
import { parseOptions, usage } from './options.ts';
import { resultsPage, runTable, sumTable } from './report.ts';
import { type Run, run } from './run.ts';
import { transcripts } from './transcripts/all.ts';

const options = parseOptions(process.argv.slice(2));
if (typeof options === 'string') {
  console.error(`${options}\n\n${usage}`);
  process.exit(2);
}

const machine = readMachine(new Date());
const began = performance.now();
const isWhole = [options.transcripts, options.strategies, options.behaviours].every((chosen) => chosen.length === 0);
const isScripted = options.real === undefined;
const withCodex = isWhole && isScripted ? installCodex() : undefined;

const runs: Run[] = [];
if (options.parts.includes('transcripts')) {
  for (const { transcript, strategy, summariser } of combinations(options)) {
    runs.push(await run(transcript, strategy, summariser));
    console.error(`${runs.length} ${strategy} ${runs.at(-1)!.by} ${transcript.id}`);
  }
  if (withCodex !== undefined) {
    const { runCodex } = await import('./codex-transcripts.ts');
    for (const behaviour of behaviours) {
      for (const transcript of transcripts) runs.push(await runCodex(transcript, behaviour));
      console.error(`${runs.length} Codex ${behaviour}`);
    }
  }
  console.log(`${plainTable(runTable(runs))}\n${plainTable(sumTable(runs))}`);
}

const isForConversations = isWhole && isScripted && options.parts.includes('conversations');
const codex = withCodex === undefined ? undefined : (await import('./conversations/codex.ts')).codex;
const conversations = isForConversations ? await runConversations(codex, console.error) : [];
if (isForConversations) {
  const faults = conversationFaults(conversations);
  console.log([plainTable(conversationTable(conversations)), ...faults].join('\n'));
}

for (const { transcript, strategy, by, result } of runs) {
  const missing = 'failed' in result ? [] : result.score.missing;
  if (!isScripted && missing.length > 0) {
    console.log(`${transcript}, ${strategy}, ${by} lost: ${missing.join(' | ')}`);
  }
}
if (isForConversations && options.parts.includes('transcripts')) {
  const seconds = (performance.now() - began) / 1000;
  const versions = { capstan: version, codex: withCodex };
  const page = resultsPage({ machine, versions, runs, conversations, seconds });
  writeFileSync(join(import.meta.dirname, 'RESULTS.md'), page);
}
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify({ transcripts: runs, conversations }, undefined, 2)}\n`);
}
// A Codex that ends slowly does not keep the bench.
process.exit(0);
