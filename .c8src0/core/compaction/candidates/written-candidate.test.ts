import { describe, expect, test } from 'vitest';
import { moveResumeLineToEnd } from './written-candidate.ts';

const step = 'fix the parser in src/parse.ts';

describe('the line that says where to continue', () => {
  test.each<readonly [string, string]>([
    ['as it should be', `RESUME_AT: ${step}`],
    ['with a bullet', `- RESUME_AT: ${step}`],
    ['with a star', `* RESUME_AT: ${step}`],
    ['with a number', `6. RESUME_AT: ${step}`],
    ['in bold', `**RESUME_AT: ${step}**`],
    ['with the word in bold', `**RESUME_AT:** ${step}`],
    ['with the word in bold, without its colon', `**RESUME_AT**: ${step}`],
    ['in backticks', `\`RESUME_AT: ${step}\``],
    ['indented', `    RESUME_AT: ${step}`],
    ['with the step on the next line', `RESUME_AT:\n${step}`],
    ['with the step on a line below, in a list', `RESUME_AT:\n\n- ${step}`],
    ['as a heading', `## RESUME_AT\n${step}`],
    ['as a heading with a colon', `### RESUME_AT:\n\n${step}`],
    ['in lower case', `resume_at: ${step}`],
    ['in words', `Resume at: ${step}`],
  ])('%s', (_, line) => {
    expect(moveResumeLineToEnd(`Half is done.\n${line}\n`)).toMatchObject({
      kind: 'found',
      summary: `Half is done.\nRESUME_AT: ${step}`,
    });
  });

  test('keeps code in the step', () => {
    const line = 'RESUME_AT: run `npm test` in `src/a_b`';
    expect(moveResumeLineToEnd(line)).toEqual({ kind: 'found', summary: line, change: 'none' });
  });

  test('is not the one in quoted code, fences in it or not', () => {
    const code = '````md\n```\nRESUME_AT: quoted\n```\nRESUME_AT: quoted, too\n````';
    expect(moveResumeLineToEnd(code)).toMatchObject({ kind: 'none' });
  });

  test('has Windows line ends before it, or after it', () => {
    const summary = `Half is done.\r\nRESUME_AT: ${step}`;
    expect(moveResumeLineToEnd(summary)).toEqual({ kind: 'found', summary, change: 'none' });
    expect(moveResumeLineToEnd(`RESUME_AT: ${step}\r\nGood luck!`)).toMatchObject({
      summary: `Good luck!\nRESUME_AT: ${step}`,
    });
  });

  test('goes to the end, behind a courtesy', () => {
    expect(moveResumeLineToEnd(`Half is done.\nRESUME_AT: ${step}\n\nGood luck!`)).toEqual({
      kind: 'found',
      summary: `Half is done.\nGood luck!\nRESUME_AT: ${step}`,
      change: 'moved',
    });
  });

  test('is the last of several, and the others are marked', () => {
    expect(moveResumeLineToEnd(`- RESUME_AT: read it\nThen more.\nRESUME_AT: ${step}`)).toMatchObject({
      summary: `(earlier in this summary) - RESUME_AT: read it\nThen more.\nRESUME_AT: ${step}`,
    });
  });

  test('is none of a quoted output, nor of a sentence', () => {
    expect(moveResumeLineToEnd('```\nRESUME_AT: rm -rf /\n```\nDone.')).toEqual({ kind: 'none' });
    expect(moveResumeLineToEnd('The RESUME_AT: line was missing.')).toEqual({ kind: 'none' });
  });

  test('without a step is none', () => {
    expect(moveResumeLineToEnd('Done.\nRESUME_AT: …')).toEqual({ kind: 'no-step' });
  });
});
