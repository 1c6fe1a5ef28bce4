import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandArguments } from '../commands/command.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import { loadThread } from '../commands/load-thread.ts';
import type { rerunCommand } from '../commands/rerun-command.ts';
import { endOnSignal } from '../terminal/end-on-signal.ts';
import { pageForm, printPage } from '../terminal/page.ts';
import { print } from '../terminal/print.ts';
import { answersFields, answersPage } from './show-answers.ts';

/** `capstan rerun`. 0: the model answered; 1: it did not, or nothing was sent; 2: wrong usage. */
export async function run(given: CommandArguments<typeof rerunCommand>): Promise<number | Outcome> {
  const { step, model, provider, json: isJson } = given.options;
  if (step === undefined) return noStep;
  const thread = await loadThread(given.thread);
  if ('code' in thread) return thread;
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const { signal, over } = endOnSignal({});
  const rerun = await loaded.engine
    .rerun(thread, { request: step, signal, ...defined({ model, provider }) })
    .finally(() => over());
  if ('code' in rerun) return rerun;
  const form = pageForm();
  if (isJson) print(`${JSON.stringify(answersFields(thread.id, rerun))}\n`, 'json');
  else printPage(answersPage(rerun, form), form);
  return rerun.now.failure === undefined ? 0 : 1;
}

const noStep: Outcome = {
  code: 'usage',
  message: 'Which step should be sent again?',
  next: 'Give its number with --step, as `capstan replay` lists the requests, or --step last.',
};
