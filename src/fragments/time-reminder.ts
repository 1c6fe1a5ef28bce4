import { defineFragment } from './define.ts';

export interface TimeReminderText {
  /** Milliseconds since 1970. */
  readonly now: number;
}

export const timeReminderFragment = defineFragment<TimeReminderText>({
  id: 'time-reminder',
  purpose: 'What time it is.',
  role: 'developer',
  markers: ['<current_time_reminder>', '</current_time_reminder>'],
  capTokens: 100,
  body: ({ now }) => `\n${new Date(now).toISOString().slice(0, 19).replace('T', ' ')} UTC\n`,
});
