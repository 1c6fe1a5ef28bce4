import { describe, expect, it } from 'vitest';
import { isInjectedContext, recogniseFragment } from './recognise-fragments.ts';

/** Texts as other programs write them. */
const foreign: readonly (readonly [role: string, text: string, kind: string | undefined])[] = [
  ['user', '<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>', 'environment'],
  ['user', '<environment_context cwd="/repo" shell="bash">\n  x\n</environment_context>', 'environment'],
  ['user', '<environment_contexts>x</environment_context>', undefined],
  ['user', ' # agents.md instructions for /repo\n\n<INSTRUCTIONS>\nx\n</instructions>\n', 'agents-md'],
  ['user', '<external_api>', undefined],
  ['user', '<external_api>value</external_api>', 'untrusted-context'],
  ['user', '<external_api>value</external_other>', undefined],
  ['user', '<hook_prompt hook_run_id="1">go on</hook_prompt>', 'hook-prompt'],
  ['user', '<codex_internal_context source="goal">\nx\n</codex_internal_context>', 'internal-context'],
  ['user', '<codex_internal_context source="Not it">x</codex_internal_context>', undefined],
  ['user', '<goal_context>\nx\n</goal_context>', 'internal-context'],
  ['user', ' <USER_SHELL_COMMAND>\n<command>\nls\n</command>\n</user_shell_command>\n', 'user-shell-command'],
  ['developer', '<user_shell_command>x</user_shell_command>', undefined],
  ['user', '<user_action>\n  <action>review</action>\n</user_action>', 'user-action'],
  ['user', '<project_context>x</project_context>', undefined],
  [
    'user',
    'Warning: apply_patch was requested via shell. Use the apply_patch tool instead of exec_command.',
    'legacy-warning',
  ],
  ['user', 'Warning: The maximum number of unified exec processes you can keep open is 64.', 'legacy-warning'],
  ['user', 'Warning: Your account was flagged for potentially high-risk cyber activity', 'legacy-warning'],
  ['user', 'Warning: Your account was flagged for potentially high-risk cyber activity. What is that?', undefined],
  ['user', 'Warning: mind the gap', undefined],
  ['user', '<permissions instructions>x</permissions instructions>', undefined],
  ['user', '<turn_aborted>\nx\n</turn_aborted>', 'turn-aborted'],
  ['developer', '<turn_aborted>\nx\n</turn_aborted>', 'turn-aborted'],
  ['developer', '<permissions instructions>x</permissions instructions>', 'permissions'],
  ['developer', 'Approved command prefix saved:\n- ["git", "pull"]', 'approved-prefixes'],
  ['developer', 'Allowed network rule saved in execpolicy (allowlist): example.org', 'network-rules'],
  ['developer', '<collaboration_mode></collaboration_mode>', 'collaboration-mode'],
  ['developer', '<realtime_conversation>\nRealtime conversation started.\n</realtime_conversation>', 'realtime-start'],
  ['developer', '<realtime_conversation>\nRealtime conversation ended.\n</realtime_conversation>', 'realtime-end'],
  ['developer', '<realtime_conversation>\nSomething of their own.\n</realtime_conversation>', 'realtime-start'],
  ['developer', 'Be kind.', undefined],
  ['assistant', 'Message Type: MESSAGE\nTask name: a\nSender: b\nPayload:\nc', undefined],
];

it.each(foreign)('%s: %j is %s', (role, text, kind) => {
  expect(recogniseFragment(role, text)).toBe(kind);
});

describe('a user message', () => {
  const injected = { type: 'input_text', text: '<turn_aborted>\nx\n</turn_aborted>' };
  const words = { type: 'input_text', text: 'Go on.' };
  const picture = { type: 'input_image', image_url: 'data:image/png;base64,AA==' };
  const message = (...content: (typeof words | typeof picture)[]) => ({ type: 'message', role: 'user', content });

  it('is injected when all of it is', () => {
    expect(isInjectedContext(message(injected))).toBe(true);
    expect(isInjectedContext(message(injected, injected))).toBe(true);
  });

  it('is the words of the user when only a part is injected', () => {
    expect(isInjectedContext(message(injected, words))).toBe(false);
    expect(isInjectedContext(message(injected, picture))).toBe(false);
    expect(isInjectedContext(message())).toBe(false);
  });
});
