import type { UserQuestion } from '../../../protocol/user-question.ts';
import { visibleLine } from '../../terminal/visible-text.ts';
import { cutRow } from '../text/cut.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled, warnStyle } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';

/** A question of the model, as the user has it before them. */
export interface ShownInput {
  readonly title: string;
  readonly asked: UserQuestion;
  /** The row that the cursor stands on. */
  readonly at: number;
  readonly chosen: number | undefined;
  /** Below the options: what keys do, and a note. */
  readonly below: readonly Row[];
}

const otherWords = { label: 'None of these', description: 'answer in your own words' };

/** All of it. */
export function wholeInputRows(shown: ShownInput, look: Look): readonly Row[] {
  return [titleRow(shown), ...questionRows(shown, look), [], ...optionRows(shown, look).flat(), ...shown.below];
}

/**
 * As much of it as fits: first what is said about each option gives way, then the question, and a row says how to see
 * all of it.
 */
export function inputRows(shown: ShownInput, look: Look, height: number, showsAll: string): readonly Row[] {
  const whole = wholeInputRows(shown, look);
  if (whole.length <= height) return whole;
  const options = optionRows(shown, look).map(([first = [], ...rest]) =>
    rest.length === 0 ? first : cutRow([...first, plain(glyphsOf(look).ellipsis)], look.width, look),
  );
  const sign: Row = [styled(`  ${glyphsOf(look).ellipsis} Not all of this fits: ${showsAll} shows all`, warnStyle)];
  const tail = [...options, ...shown.below];
  const room = Math.max(0, height - tail.length - 2);
  const head = [titleRow(shown), ...questionRows(shown, look).slice(0, room), sign];
  // The sign stays in sight on the lowest screens, too.
  return [
    ...head.slice(Math.max(0, head.length - Math.max(1, height))),
    ...tail.slice(Math.max(0, tail.length - Math.max(0, height - head.length))),
  ];
}

function titleRow({ title }: ShownInput): Row {
  return [styled(title, boldStyle)];
}

function questionRows({ asked: { header, question } }: ShownInput, look: Look): readonly Row[] {
  return wrapRow([styled(`${visibleLine(header)}: ${visibleLine(question)}`, {})], {
    width: look.width,
    first: [plain('  > ')],
    rest: [plain('  | ')],
  });
}

/** The rows of each option. The last one is for other words. */
function optionRows({ asked, at: here, chosen }: ShownInput, look: Look): readonly (readonly Row[])[] {
  const { prompt, good } = glyphsOf(look);
  return [...asked.options, otherWords].map(({ label, description }, at) => {
    const isHere = at === here;
    const first: Row = [
      styled(isHere ? `${prompt} ` : '  ', accentStyle),
      styled(
        `${at + 1}. ${visibleLine(label)}${at === chosen ? ` ${good}` : ''}`,
        isHere ? { ...accentStyle, ...boldStyle } : {},
      ),
    ];
    return wrapRow([styled(visibleLine(description), dimStyle)], {
      width: look.width,
      first: [...first, plain('  ')],
      rest: [plain('     ')],
    });
  });
}
