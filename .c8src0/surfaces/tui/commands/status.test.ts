import { expect, it } from 'vitest';
import { limitRows } from './status.ts';

const now = new Date(2026, 10, 17, 9, 0).getTime();
const at = (hours: number): number => now / 1000 + hours * 3600;

it('names limits by their windows, shows what is left, and when it is full again', () => {
  const limits = [
    { name: 'primary', usedPercent: 45, windowMinutes: 300, resetsAt: at(1) },
    { name: 'secondary', usedPercent: 120, windowMinutes: 10_000, resetsAt: at(48) },
    { name: 'requests', usedPercent: 0 },
  ];
  expect(limitRows(limits, { look: { width: 80, glyphs: 'unicode' }, now })).toEqual([
    { name: '5h limit', value: '[███████████░░░░░░░░░] 55 % left (resets 10:00)' },
    { name: 'Weekly limit', value: '[░░░░░░░░░░░░░░░░░░░░] 0 % left (resets 2026-11-19 09:00)' },
    { name: 'requests limit', value: '[████████████████████] 100 % left' },
  ]);
  expect(limitRows(limits.slice(0, 1), { look: { width: 50, glyphs: 'ascii' }, now })).toEqual([
    { name: '5h limit', value: '55 % left (resets 10:00)' },
  ]);
});
