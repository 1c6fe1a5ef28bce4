import { widerSandbox } from '../../policy/where-words.ts';
import { type Span, yellow } from '../terminal/look.ts';

/** As the start of its item says it. */
export interface CommandPlace {
  readonly outside?: true;
  readonly confined?: true;
}

/** Where a command runs that left the sandbox. On a line of its own: the command may have several. */
export function placeMark({ outside, confined }: CommandPlace): readonly Span[] {
  if (outside !== true) return [];
  return [yellow(`\n  [runs ${confined === true ? widerSandbox : 'outside the sandbox'}]`)];
}
