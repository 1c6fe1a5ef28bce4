import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { userMessageItem } from '../../src/core/fragments/message-items.ts';
import type { TurnId } from '../../src/protocol/ids.ts';
import type { Item } from '../../src/protocol/item.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { type LineDraft, lineType } from '../../src/protocol/line.ts';
import { answerLine } from '../../src/core/state/drafts/item-lines.ts';
import { screenshot } from './screenshot.ts';
import type { Exchange, Work } from './transcript.ts';

export const threadId = '019b8d00-2222-7000-8000-000000000001';

/** The path of the thread in a home. */
export const threadFile = `sessions/2026/01/05/rollout-2026-01-05T09-00-00-${threadId}.jsonl`;

/**
 * Writes turns to the end of the thread, whatever program wrote what stands before them. No process may have it open.
 */
export function appendTurns(path: string, cwd: string, exchanges: readonly Exchange[]): void {
  mkdirSync(dirname(path), { recursive: true });
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const first = before.split('\n').length - 1;
  const drafts = [
    ...(first === 0 ? [sessionMeta(cwd, threadId)] : []),
    ...exchanges.flatMap((one, n) => turnLines(one, first + n)),
  ];
  const text = drafts.map((draft, n) => `${JSON.stringify({ timestamp, ordinal: first + n, ...draft })}\n`).join('');
  writeFileSync(path, before + text);
}

export const timestamp = '2026-01-05T09:00:00.000Z';

export function sessionMeta(cwd: string, id: string): LineDraft {
  const payload = {
    session_id: id,
    id,
    timestamp,
    cwd,
    originator: 'bench',
    cli_version: '0.1.0',
    source: 'exec',
    thread_source: 'user',
    model_provider: 'scripted',
    base_instructions: { text: 'You are a coding agent. Do what the user asks.' },
    history_mode: 'paginated',
    context_window: { window_id: '019b8d00-2222-7000-8000-00000000ffff' },
  };
  return { type: lineType.sessionMeta, payload };
}

function turnLines({ words, pictures = 0, work = [], answer }: Exchange, number: number): readonly LineDraft[] {
  const turn = `019b8d00-0000-7000-8000-${number.toString(16).padStart(12, '0')}` as TurnId;
  const images = Array.from({ length: pictures }, (_, n) => ({ path: `drawing-${n + 1}.png`, dataUrl: screenshot(n) }));
  const [asked, said] = [`msg_u${turn}`, `msg_a${turn}`];
  const content = [{ type: 'output_text', text: answer }];
  return [
    event({ type: 'task_started', turn_id: turn, started_at: 0, collaboration_mode_kind: 'default' }),
    item(userMessageItem(asked, { text: words, images })),
    ...work.flatMap((done, n) => workLines(done, `${turn}-${n}`, turn)),
    item({ type: 'message', id: said, role: 'assistant', content }),
    event({ type: 'task_complete', turn_id: turn, last_agent_message: answer }),
  ];
}

function workLines(work: Work, name: string, turn: TurnId): readonly LineDraft[] {
  const callId = `call_${name}`;
  const ids = { id: `fc_${name}`, call_id: callId };
  const output = (text: string, type = 'function_call_output'): Item => ({
    type,
    id: `fco_${name}`,
    call_id: callId,
    output: text,
  });
  switch (work.kind) {
    case 'command': {
      const call = { type: 'function_call', name: 'exec_command', arguments: JSON.stringify({ cmd: work.command }) };
      return [item({ ...call, ...ids }), item(output(work.output))];
    }
    case 'plan': {
      const call = { type: 'function_call', name: 'update_plan', arguments: JSON.stringify({ plan: work.steps }) };
      return [item({ ...call, ...ids }), item(output('Plan updated'))];
    }
    case 'patch': {
      const call = { type: 'custom_tool_call', name: 'apply_patch', input: work.patch, status: 'completed' };
      const answer = output('Done.', 'custom_tool_call_output');
      return [item({ ...call, ...ids }), answerLine(answer, turn, { changed: work.changed })];
    }
  }
}

function item(payload: Item): LineDraft {
  return { type: lineType.responseItem, payload };
}

function event(payload: JsonObject): LineDraft {
  return { type: lineType.event, payload };
}
