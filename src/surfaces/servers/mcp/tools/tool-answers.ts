import type { JsonObject } from '../../../../protocol/json.ts';
import { outcomeText, type Outcome } from '../../../../protocol/outcome.ts';
import { errorFields } from '../event-fields.ts';
import { shortenCallText, type ToolAnswer } from '../server-interface.ts';

/** An answer: data for programs, and a short text for the host's model. */
export function toolAnswer(text: string, data: object): ToolAnswer {
  return { kind: 'answer', text, data: data as JsonObject };
}

/** Says what happened and what to do next. `more`: what is known in spite of the refusal. */
export function refusalAnswer(said: Outcome, more: JsonObject = {}): ToolAnswer {
  const outcome = asToolOutcome(said);
  return { kind: 'answer', text: outcomeText(outcome), data: { ...more, error: errorFields(outcome) }, isError: true };
}

/** Adds notices to the data, and to the text for hosts that pass on only that. */
export function withNotices({ text, data, ...answer }: ToolAnswer, notices: readonly Outcome[]): ToolAnswer {
  if (notices.length === 0) return { ...answer, text, data };
  const words = notices.map((notice) => adviceForTools(shortenCallText(outcomeText(notice))));
  return {
    ...answer,
    text: [text, ...words.map((each) => `Note: ${each}`)].join('\n'),
    data: { ...data, notices: words },
  };
}

const tools: Readonly<Record<string, string>> = {
  list: 'thread_list',
  show: 'thread_read',
  search: 'thread_search',
  fork: 'thread_fork',
  rollback: 'thread_rollback',
  'undo-rollback': 'thread_undo_rollback',
  pin: 'thread_pin',
  pins: 'thread_pin',
  unpin: 'thread_pin',
  compact: 'thread_compact',
};

// `\x60` is a backtick.
const command = /\x60capstan threads ([a-z-]+)(?: [^\x60]*)?\x60/g;
const openOnes = 'Call thread_read to see which questions are open.';

/** Rewrites advice for shells and programs for a model that calls tools. A command without a tool stays. */
function adviceForTools(text: string): string {
  return text
    .replaceAll(command, (said: string, name: string) => tools[name] ?? said)
    .replaceAll(/\x60capstan exec resume [^\x60]*--approvals ask\x60/g, 'thread_answer')
    .replaceAll(/\x60capstan exec resume [^\x60]*\x60/g, 'thread_send')
    .replaceAll(
      /\bSee \x60thread\.questions\x60( for what waits\.|\. For a suspended turn, use \x60engine\.answer.*)/g,
      openOnes,
    )
    .replaceAll(
      /\bResume with the permissions of that turn\b/g,
      'Set the permissions of that turn with thread_override',
    )
    .replaceAll(
      /\bor send a new message, which leaves the question unanswered\b/g,
      'or end the turn with thread_interrupt',
    )
    .replaceAll(/^Interrupt it, or\b/g, 'Interrupt it with thread_interrupt, or')
    .replaceAll(/\x60capstan envelope [^\x60]*\x60/g, 'thread_envelope')
    .replaceAll(/; \x60capstan config show\x60 lists all\./g, '.')
    .replaceAll(/ If the thread is in another home, set CAPSTAN_HOME to that folder\./g, '')
    .replaceAll(/\bwith -C\b/g, 'with cwd')
    .replaceAll(/\bAdd --force\b/g, 'Set force')
    .replaceAll(/\bcommand line: sandbox_mode\b/g, 'sandbox')
    .replaceAll(/\bcommand line: /g, '')
    .replaceAll(/\bdefault_permissions = ("[^"]*") and sandbox_mode = ("[^"]*")/g, 'permissions $1 and sandbox $2')
    .replaceAll(/\bsandbox_workspace_write\.(?=\w)/g, 'sandbox.')
    .replaceAll(/ or remove the key\./g, ' or leave it out.')
    .replaceAll(/\{ granular = \{ ([\w=,| ]+) \} \}/g, (_, members: string) => {
      // `a = true|false, b = …`
      return `{"granular": {${members.replaceAll(/(\w+) = /g, '"$1": ')}}}`;
    })
    .replaceAll(/ on the command line\b/g, ' of the call');
}

export function asToolOutcome(outcome: Outcome): Outcome {
  const next = adviceForTools(shortenCallText(outcome.next));
  // Reported as an error, because the call is refused.
  const isUnknown = outcome.code === 'config-unknown-key';
  const said = isUnknown ? next.replace('It has no effect; remove it.', 'Remove it.') : next;
  return { ...outcome, message: adviceForTools(shortenCallText(outcome.message)), next: said };
}
