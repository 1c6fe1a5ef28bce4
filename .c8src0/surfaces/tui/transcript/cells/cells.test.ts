import { describe, expect, it } from 'vitest';
import { expectLinear } from '../../../../testing/test-inputs.ts';
import type { CommandItem } from '../../../../protocol/turn-item.ts';
import type { Look } from '../../screen/text/look.ts';
import { proposedPlan } from '../../../../protocol/item.ts';
import { AnswerStream } from './answer-cells.ts';
import { itemCell } from './item-and-event-cells.ts';
import type { Cell } from './cell.ts';
import { looksLikeError } from './folded-output.ts';
import { exploredByCall, exploringCell, isExploring } from './exploring-cell.ts';
import { quietCell } from './notice-cells.ts';

const look: Look = {
  width: 60,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/home/ada/engine',
  home: '/home/ada',
};

const command = (script: string, rest: Partial<CommandItem> = {}): CommandItem => ({
  kind: 'command',
  id: 'c',
  argv: ['bash', '-lc', script],
  cwd: '/home/ada/engine',
  status: 'completed',
  output: '',
  exitCode: 0,
  ...rest,
});

const shown = (cell: Cell, some: Partial<Look> = {}): string => cell.rows({ ...look, ...some }).join('\n');

describe('commands', () => {
  const output = (lines: readonly string[]): string => lines.join('\n');
  const fill = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `step ${at}`);

  it('a failure shows its end and the lines that look like errors', () => {
    const failed = command('make', {
      status: 'failed',
      exitCode: 2,
      output: output([...fill(40), 'TypeError: no wheel', ...fill(40), 'last words']),
    });
    const rows = shown(itemCell(failed));
    expect(rows).toContain('TypeError: no wheel');
    expect(rows).toContain('last words');
  });

  it('shows the shell where it is not the one of the system', () => {
    const run = (program: string): string => shown(itemCell({ ...command(''), argv: [program, '-lc', 'ls a'] }));
    expect(run('/bin/zsh')).toContain('Ran ls a');
    expect(run('./bash')).toContain("Ran ./bash -lc 'ls a'");
  });

  it('a fold says what it hides', () => {
    const many = Array.from({ length: 9 }, (_, at) => `error ${at}: no wheel`);
    const failed = shown(
      itemCell(command('make', { status: 'failed', exitCode: 2, output: output([...fill(9), ...many, ...fill(20)]) })),
    );
    expect(failed).toContain('+19 lines, 4 look like errors (ctrl+t shows all)');
    const good = shown(itemCell(command('make', { output: output([...fill(9), 'error: ignored', ...fill(9)]) })));
    expect(good).toContain('+15 lines, 1 looks like an error (ctrl+t shows all)');
    const cut = shown(
      itemCell(command('make', { output: output([...fill(4), '... 5000 bytes omitted ...', ...fill(4)]) })),
    );
    // Ctrl+T has the lines, and not what is nowhere any more.
    expect(cut).toContain('… +4 lines (ctrl+t shows them), 5.0 kB not kept');
    const lost = shown(
      itemCell(command('make', { output: output([...fill(2), '... 5000 bytes omitted ...', ...fill(3)]) })),
    );
    expect(lost).toMatch(/\n {4}… (?:\+1 line \(ctrl\+t shows them\), )?5\.0 kB not kept\n/);
    const truncated = shown(
      itemCell(command('make', { output: output([...fill(4), '42…252152 tokens truncated…', ...fill(4)]) })),
    );
    expect(truncated).toContain('… +5 lines (ctrl+t shows them), 252,152 tokens not kept');
    // Lines are counted where they came, not where they are kept.
    const large = [...fill(4), '... 5000000 bytes in 90000 lines omitted ...', ...fill(4)];
    expect(shown(itemCell(command('make', { output: output(large) })))).toContain(
      '… +90,004 lines (ctrl+t shows some), 5.0 MB not kept',
    );
    const recorded = [...fill(4), '42…252152 tokens truncated…', ...fill(4)];
    expect(shown(itemCell(command('make', { output: output(recorded), outputLines: 1004 })))).toContain(
      '… +1,000 lines (ctrl+t shows some)\n',
    );
    // A row that says "+1 line" is no shorter than the line.
    const one = shown(
      itemCell(command('make', { status: 'failed', output: output(['here', 'error: x', ...fill(12)]) })),
    );
    expect(one).toMatch(/└ here\n {4}error: x\n {4}… \+7 lines/);
  });

  it.each([
    ['TypeError: x is not a function', true],
    ['npm ERR! code 1 (failed)', true],
    ['src/a.ts(3,1): error TS2304', true],
    ['0 errors, 0 warnings', false],
    ['Tests: no failures', false],
    ['errors: 0', false],
    ['0 errors, 2 failed', true],
    ['# fail 0', false],
    ['ℹ fail 0', false],
    ['# fail 1', true],
    ['# fail 10', true],
    [' 12 pass, 0 fail', false],
    ['10 fail', true],
    ['errors: 0', false],
    ['Tests run: 9, Failures: 0, Errors: 0, Skipped: 0', false],
    ['Tests run: 9, Failures: 0, Errors: 1, Skipped: 0', true],
    ['    0 Error(s)', false],
    ['{"passed":3,"failed":0}', false],
    ['ok=3 changed=0 unreachable=0 failed=0', false],
    ['failed 0 passed 3', false],
    ['v1.0 failed to start', true],
    ['failed 0.5 s after the start', true],
    ['error 0x80070005', true],
    ['error: 0 is no valid port', true],
    ['all is well', false],
  ])('the line %j looks like an error: %s', (line, isError) => {
    expect(looksLikeError(line)).toBe(isError);
  });

  it('an output begins with its first line that says something', () => {
    expect(shown(itemCell(command('make', { output: '\n \t\r\n\n  indented\n\nlast' })))).toBe(
      '• Ran make\n  └   indented\n\n    last',
    );
  });

  it('keeps the whole output in the transcript, with its colours', () => {
    const item = command('make', { output: `\u001B[32m${output(fill(30))}\u001B[0m` });
    const rows = itemCell(item).rows({ ...look, details: 'whole', colours: 'sixteen' });
    expect(rows).toHaveLength(32);
    expect(rows[20]).toBe('    \u001B[2;32mstep 19\u001B[0m');
  });

  it('draws many lines of output in one pass', () => {
    const [whole, folded] = expectLinear(3200, (lines) => {
      const item = command('make', { output: output(fill(lines)) });
      return [itemCell(item).rows({ ...look, details: 'whole' }), itemCell(item).rows(look)];
    });
    expect([whole.length, folded.length]).toEqual([3202, 6]);
  });

  it('does not read all lines again for each frame', () => {
    // As many frames as lines.
    expectLinear(2048, (count) => {
      const running = itemCell(command('make', { output: output(fill(count)), status: 'in-progress' }));
      for (let frame = 0; frame < count; frame += 1) running.rows({ ...look, now: frame });
    });
  });

  it('takes a long line in one pass', () => {
    const rows = expectLinear(256_000, (length) =>
      shown(itemCell(command('cat bundle.js', { output: `start${'x'.repeat(length)}end` }))),
    );
    expect(rows).toContain('start');
    expect(rows).toContain('end');
  });
});

describe('calls that look around', () => {
  it.each([
    ['cat a.ts', ['read a.ts']],
    ['cat src/a.ts && head -n 5 src/b.ts', ['read a.ts', 'read b.ts']],
    ["sed -n '1,20p' a.ts", ['read a.ts']],
    ['cd src && ls', ['list ']],
    ['ls -la src', ['list src']],
    ['rg -n "two words" src', ['search two words in src']],
    ["grep -rn 'x' . | head -20", ['search x in .']],
    ['find . -name "*.ts"', ['search *.ts in .']],
    ['rg --files src | sort', ['list src']],
    ['git grep needle', ['search needle in ']],
  ])('%s', (script, wanted) => {
    const words = exploredByCall(command(script))?.map((part) =>
      part.kind === 'read'
        ? `read ${part.name}`
        : part.kind === 'list'
          ? `list ${part.path}`
          : `search ${part.query} in ${part.path}`,
    );
    expect(words).toEqual(wanted);
  });

  it.each([
    'cat a > b',
    'rm a',
    'cat $(x)',
    'ls; rm x',
    'find . -delete',
    'sed -i s/a/b/ f',
    'cat `x`',
    'npm test',
    'tail -f log',
    '',
    'echo "$(rm x)"',
    'cat a & rm b',
    'ls #\nrm x',
  ])('not %j', (script) => {
    expect(exploredByCall(command(script))).toBeUndefined();
  });

  it('one that failed stands alone', () => {
    expect(isExploring(command('cat a'))).toBe(true);
    expect(isExploring(command('cat a', { status: 'failed', exitCode: 1 }))).toBe(false);
  });

  it('names each file once', () => {
    const cell = exploringCell(['cat a', 'cat b', 'cat a', 'ls', 'cat a'].map((script) => command(script)));
    expect(shown(cell)).toBe('• Explored\n  └ Read a, b\n    List .\n    Read a');
  });
});

describe('answers that arrive', () => {
  it('end in the rows of the cell', () => {
    const text = '# Title\n\nSome words.\n\n- a\n- b\n';
    const stream = new AnswerStream();
    let stable: readonly string[] = [];
    for (const sign of text) {
      stream.append(sign);
      const now = stream.stableRows(look);
      expect(now.slice(0, stable.length)).toEqual(stable);
      expect(stream.stableRows(look, stable.length)).toEqual(now.slice(stable.length));
      stable = now;
    }
    stream.end();
    expect(stream.rows(look)).toEqual(itemCell({ kind: 'agent-message', id: 'i', text }).rows(look));
  });

  it('show a proposed plan below its heading, once, as the cell does', () => {
    const texts = [
      'Before.\n\nMore.\n\n<proposed_plan>\n# Plan\n\n- a\n- b\n</proposed_plan>\n\nAfter.\n\nEnd.',
      '<proposed_plan>\n1. Read\n</proposed_plan>',
      '\n  <proposed_plan>  \n\nWords.\n\nOthers.\n\n</proposed_plan>\nAfter.',
    ];
    for (const text of texts) {
      const stream = new AnswerStream();
      let stable: readonly string[] = [];
      for (const sign of text) {
        stream.append(sign);
        const now = stream.stableRows(look);
        expect(now.slice(0, stable.length)).toEqual(stable);
        expect(stream.rowCount(stream.stableBlocks, look)).toBe(now.length);
        stable = now;
      }
      stream.end();
      const whole = itemCell({ kind: 'agent-message', id: 'i', text, plan: proposedPlan(text)! }).rows(look);
      expect(stream.rows(look)).toEqual(whole);
      expect(whole.slice(0, stable.length)).toEqual(stable);
      expect(whole.filter((row) => row.includes('Proposed Plan'))).toHaveLength(1);
    }
  });
});

describe('quiet lines', () => {
  it('show all of what they say, however narrow the window is', () => {
    const line =
      'Checkpoint 1: about 240,000 → 12,000 tokens by gpt-5.5 (remote), 12 of 14 user messages kept, 2 in part';
    const text = (width: number) => shown(quietCell({ line, details: 'more' }), { width }).replaceAll(/\s+/g, ' ');
    for (const width of [40, 60, 80, 120]) expect(text(width)).toContain(line);
  });
});
