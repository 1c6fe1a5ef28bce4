import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, callTool, type ItemDraft, say, type ScriptStep } from '../../src/testing/index.ts';

/** The wishes of the user in the first turn. They are not said again. */
export const requirements = `[#1] Port the ledger of the harbour office to the new format. These hold until the end:
1. Amounts are whole øre, never floating point; "12,50" is 1250.
2. Keep the field <berth_id> as text: '007' and '7' are two berths.
3. Nothing below archive/ may change, not even its line ends.
4. Every report ends with the line \`-- slutt --\` and a tab.\t
日本語の注釈はそのまま残してください。 If a rule and a test disagree, the rule holds 🙂.`;

/** One turn of the story. */
export interface StoryTurn {
  readonly words: string;
  /** Steps of the model in the turn. */
  readonly steps: readonly StoryStep[];
}

export interface StoryStep {
  readonly answer: ScriptStep;
  /** The plan from then on. */
  readonly plan?: readonly string[];
  /** The file that is there from then on. */
  readonly file?: string;
}

const sizes = [60, 700, 2200, 5200, 9000, 14_000, 38_000];

/** Files whose content fills the prompt when the model looks at them. */
export function writeFiles(workspace: string): void {
  mkdirSync(join(workspace, 'archive'));
  for (const [number, size] of sizes.entries())
    writeFileSync(join(workspace, 'archive', `${number}.txt`), prose(number, size));
}

export function storyTurn(number: number): StoryTurn {
  const words = number === 1 ? requirements : `[#${number}] ${saidIn(number)}`;
  const [plan, file] = [planIn(number), fileIn(number)];
  const steps = [
    ...(plan === undefined ? [] : [{ answer: doing(updatePlan(plan)), plan }]),
    ...(file === undefined ? [] : [{ answer: doing(patch(file, number)), file }]),
    ...Array.from({ length: looksIn(number) }, (_, look) => ({
      answer: doing(lookAt((number + look) % sizes.length)),
    })),
    { answer: doing(say(`Answer ${number}. ${prose(number, (number * 379) % 2600)}`)) },
  ];
  return { words, steps };
}

function saidIn(number: number): string {
  if (number % 40 === 0) return `Here is the log of berth ${number}:\n${prose(number, 9000)}`;
  return number % 7 === 0 ? `No, not like that: ${prose(number, 300)}` : `Go on with part ${number}.`;
}

/** Most turns look at nothing or at one file; some at so many that they do not fit into one window. */
function looksIn(number: number): number {
  if (number % 60 === 30) return 8;
  return number % 4 === 0 ? 1 : 0;
}

function planIn(number: number): readonly string[] | undefined {
  const part = (number - 2) / 45;
  if (!Number.isInteger(part)) return undefined;
  return [`Read chapter ${part} of the ledger`, `Port chapter ${part + 1} of the ledger`, 'Hand the ledger over'];
}

function fileIn(number: number): string | undefined {
  return number % 50 === 4 ? `ledger/chapter-${number}.txt` : undefined;
}

function updatePlan([done, doing, then]: readonly string[]): ItemDraft {
  return callTool('update_plan', {
    plan: [
      { step: done!, status: 'completed' },
      { step: doing!, status: 'in_progress' },
      { step: then!, status: 'pending' },
    ],
  });
}

function patch(file: string, number: number): ItemDraft {
  const lines = ['*** Begin Patch', `*** Add File: ${file}`, `+chapter ${number}`, '*** End Patch'];
  return { type: 'custom_tool_call', name: 'apply_patch', input: lines.join('\n') };
}

function lookAt(file: number): ItemDraft {
  return callTool('exec_command', { cmd: `cat archive/${file}.txt` });
}

function doing(item: ItemDraft): ScriptStep {
  return answer({ items: [item] });
}

const vocabulary =
  `the ledger of berth keeps each amount in whole units and names 42 boats; if (sum !== total) { return fail(entry); }
const rows = entries.map(({ amount }) => amount * 100); harbour dues, crane hours, water and ice ÆØÅ`.split(' ');

/** So many characters of text that says little. */
function prose(seed: number, length: number): string {
  let [text, at] = ['', seed];
  while (text.length < length) text += `${vocabulary[(at = (at * 31 + 7) % 1009) % vocabulary.length]} `;
  return text.slice(0, length).trimEnd();
}
