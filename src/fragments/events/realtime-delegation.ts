import { defineFragment } from '../text/define.ts';
import { escapeMarkup, escapeText } from '../text/markup.ts';
import { byteLength, firstBytes, lastBytes } from '../text/truncate.ts';

export interface RealtimeDelegationText {
  readonly source?: string;
  readonly input: string;
  /** What was said since the last time. */
  readonly transcriptDelta?: string;
}

const fieldBytes = 4096;

export const realtimeDelegationFragment = defineFragment<RealtimeDelegationText>({
  id: 'realtime-delegation',
  purpose: 'Work that a spoken conversation hands to the model.',
  role: 'user',
  markers: ['<realtime_delegation>', '</realtime_delegation>'],
  capTokens: 3200,
  separate: true,
  body({ source, input, transcriptDelta }) {
    const lines = [
      ...(source === undefined ? [] : [`  <source>${head(escapeMarkup(source))}</source>`]),
      `  <input>${head(escapeText(input))}</input>`,
      ...(transcriptDelta === undefined
        ? []
        : [`  <transcript_delta>${tail(escapeText(transcriptDelta))}</transcript_delta>`]),
    ];
    return `\n${lines.join('\n')}\n`;
  },
});

/** A request matters from its beginning; the cut never goes through an entity. */
function head(text: string): string {
  if (byteLength(text) <= fieldBytes) return text;
  return `${firstBytes(text, fieldBytes - byteLength('…')).replace(/&[^;]*$/, '')}…`;
}

/** Of a conversation the newest words matter. */
function tail(text: string): string {
  if (byteLength(text) <= fieldBytes) return text;
  return `…${lastBytes(text, fieldBytes - byteLength('…')).replace(/^[#\w]{0,6};/, '')}`;
}
