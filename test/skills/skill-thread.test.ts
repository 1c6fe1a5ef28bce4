import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { words } from '../../src/protocol/user-input.ts';
import { answer, say } from '../../src/testing/index.ts';
import { says, saysLong, smallLimit, talk } from '../compaction/talk.ts';
import { skilledScene, skillText } from './skilled-scene.ts';

const yes = () => answer({ items: [say('Yes.')] });

describe('the list of skills', () => {
  it('is told once, again when it changes, and taken back when it is empty', async () => {
    const { live, skill, open, told } = await skilledScene(yes);
    const knit = skill('knit', 'How to knit: with needles');
    await open();
    await live.turn('one');
    await live.turn('two');
    skill('purl', 'How to purl');
    await live.turn('three');
    await open();
    await live.turn('four');
    rmSync(join(live.place.home, 'skills'), { recursive: true });
    await live.turn('five');
    await live.turn('six');
    expect(told(0)[0]).toContain(`### Available skills\n- knit: How to knit: with needles (file: ${knit})\n`);
    expect([1, 2, 3, 4, 5].map((request) => told(request).length)).toEqual([0, 1, 0, 1, 0]);
    expect(told(2)[0]).toContain('\n- purl: How to purl (file: ');
    expect(told(4)).toEqual([expect.stringContaining('no longer offered')]);
  });

  it('is told again after a checkpoint, and to a fork only when it is another', async () => {
    const { live, skill, open } = await skilledScene(talk([saysLong(), says('Yes.')]), { config: smallLimit });
    skill('knit', 'How to knit');
    await open();
    await live.turn('one');
    await live.turn('two');
    const last = live.rows(live.model.requests.length - 1).flat();
    expect(live.told('checkpoint-installed')).toHaveLength(1);
    expect(last.filter((text) => text.includes('- knit: How to knit'))).toHaveLength(1);
    await live.close();
    const engine = await live.engine({ osHome: live.place.root });
    const forked = await engine.fork(live.id, { kind: 'latest' }, { listener: () => {} });
    if (forked.kind === 'refused') throw new Error(forked.outcome.message);
    await forked.thread.run({ input: words('three'), signal: new AbortController().signal });
    await forked.thread.close();
    const texts = live.rows(live.model.requests.length - 1).flat();
    expect(texts.filter((text) => text.includes('- knit: How to knit'))).toHaveLength(1);
    const { code } = await live.place.run('replay', live.id, '--json');
    expect(code).toBe(0);
  });

  it('can be turned off, and so can single skills', async () => {
    const off = await skilledScene(yes, { config: '[skills]\ninclude_instructions = false' });
    off.skill('knit', 'How to knit');
    await off.open();
    await off.live.turn('Use $knit.');
    expect(off.told(0)).toEqual([expect.stringMatching(/^<skill>\n<name>knit/)]);

    const one = await skilledScene(yes, { config: 'skills.config = [{ name = "knit", enabled = false }]' });
    one.skill('knit', 'How to knit');
    one.skill('purl', 'How to purl');
    await one.open();
    await one.live.turn('Use $knit.');
    expect(one.told(0)).toHaveLength(1);
    expect(one.told(0)[0]).not.toContain('knit');
  });

  it('has those of a project only when the user trusts it', async () => {
    const { live, projectSkill, trust, open, told, warnings } = await skilledScene(yes);
    projectSkill('weave', 'How to weave');
    await open();
    await live.turn('Use $weave.');
    expect([told(0), warnings()]).toEqual([[], ['skills-untrusted']]);
    trust();
    await open();
    await live.turn('Use $weave.');
    expect(told(1).map((text) => text.split('\n')[0])).toEqual(['<skills_instructions>', '<skill>']);
  });

  it('is cut to its share of a small window, and the user learns of it once', async () => {
    const { live, skill, open, told, warnings } = await skilledScene(yes, { config: 'model_context_window = 16000' });
    for (let at = 0; at < 12; at++) skill(`skill-${at}`, `Number ${at}. ${'All about it. '.repeat(20)}`);
    await open();
    await live.turn('one');
    await open();
    await live.turn('two');
    expect(told(0)[0]?.length).toBeLessThanOrEqual(16_000 * 0.95 * 0.02 * 4);
    expect(told(1)).toEqual([]);
    expect(warnings()).toEqual(['skills-shortened']);
    await live.close();
    const { stdout } = await live.place.runWith({ env: { HOME: live.place.root } }, 'context');
    expect(stdout.split('\n').join(' ')).toContain(
      'The list of skills exceeds its budget. 12 descriptions are shortened.',
    );
  });
});

describe('a skill whose description was cut', () => {
  it('is described where a message seems to be about it, once, also after a resume', async () => {
    const { live, skill, open } = await skilledScene(yes, { config: 'model_context_window = 16000' });
    for (let at = 0; at < 30; at++) skill(`skill-${at}`, `Number ${at}. ${'All about it. '.repeat(20)}`);
    skill('zebra-crossing', 'Paints </skill_hint> stripes on streets');
    await open();
    await live.turn('Hello there.');
    await live.turn('Paint a zebra crossing on my street.');
    await open();
    await live.turn('Another zebra crossing.');
    const hints = [0, 1, 2].map((request) =>
      live
        .added(request)
        .flat()
        .filter((text) => text.startsWith('<skill_hint>')),
    );
    expect(hints).toEqual([
      [],
      [expect.stringContaining('- zebra-crossing: Paints &lt;/skill_hint&gt; stripes on streets (file: /')],
      [],
    ]);
  });
});

describe('a skill that the user names', () => {
  it('enters history behind the message, once in a turn, and stays as it was', async () => {
    const { live, skill, open, told } = await skilledScene(yes);
    const path = skill('knit', 'How to knit', 'Use <b>needles</b>. </skill> </SKILL >');
    await open();
    await live.turn(`Use $knit and [$knit](${path}), $PATH and $nothing.`);
    skill('knit', 'How to knit', 'Use yarn.');
    await open();
    await live.turn('Use $knit: again.');
    await live.turn('Thanks.');
    expect(live.rows(0).at(-2)?.[1]).toMatch(/^Use \$knit and/);
    expect(live.rows(0).at(-1)?.[1]).toBe(
      `<skill>\n<name>knit</name>\n<path>${path}</path>\n---\nname: knit\ndescription: How to knit\n---\nUse <b>needles</b>. &lt;/skill> &lt;/SKILL >\n\n</skill>`,
    );
    expect(live.rows(1).filter(([, text]) => text?.startsWith('<skill>'))).toHaveLength(2);
    expect(told(2)).toEqual([]);
  });

  it('need not be listed: some wait to be named', async () => {
    const { live, skill, put, open, told } = await skilledScene(yes);
    put(join(skill('knit', 'How to knit'), '../agents/openai.yaml'), 'policy:\n  allow_implicit_invocation: false\n');
    await open();
    await live.turn('Use $knit.');
    expect(told(0)).toEqual([expect.stringMatching(/^<skill>/)]);
  });

  it('must be the only one of its name', async () => {
    const { live, skill, put, open, told, warnings } = await skilledScene(yes);
    skill('knit', 'How to knit');
    const other = put(join(live.place.root, '.agents/skills/other/SKILL.md'), skillText('knit', 'Another way'));
    await open();
    await live.turn('Use $knit.');
    await live.turn(`Use [$knit](${other}).`);
    expect(told(0)).toHaveLength(1);
    expect(warnings()).toEqual(['skill-ambiguous']);
    expect(told(1)).toEqual([expect.stringContaining(`<path>${other}</path>`)]);
  });

  it('is named by its name: what looks like a misspelling of one is reported, and other words are not', async () => {
    const { live, skill, open, told, warnings } = await skilledScene(yes);
    skill('release', 'How to release');
    await open();
    await live.turn('Use $relase. It costs $5 in $HOME, $RELEASES and $nothing.');
    expect(told(0).filter((text) => text.startsWith('<skill>'))).toEqual([]);
    expect(warnings()).toEqual(['skill-unknown']);
    expect(live.told('warning')[0]!.outcome.next).toBe('Did you mean $release?');
  });

  it('comes with a message that steers a turn, too', async () => {
    const { live, skill, open } = await skilledScene(() => {
      if (live.model.requests.length === 1) void live.thread.steer({ input: words('Use $knit.') });
      return yes();
    });
    skill('knit', 'How to knit');
    await open();
    await live.turn('go');
    const last = live.rows(live.model.requests.length - 1).map(([, text = '']) => text);
    expect(last.at(-2)).toBe('Use $knit.');
    expect(last.at(-1)).toMatch(/^<skill>/);
  });

  it('is cut where the window is small, and the user learns of it', async () => {
    const { live, skill, open, told, warnings } = await skilledScene(yes, { config: 'model_context_window = 12000' });
    skill('knit', 'How to knit', 'All about needles. '.repeat(2000));
    await open();
    await live.turn('Use $knit.');
    const body = told(0).at(-1) ?? '';
    expect(body.length).toBeLessThan(12_000 * 0.2 * 4);
    expect(body).toContain('tokens cut here');
    expect(warnings()).toEqual(['skill-cut']);
  });

  it('is whole beside a long one, in whatever order they are named', async () => {
    for (const text of ['Use $long and $short.', 'Use $short and $long.']) {
      const { live, skill, open, told, warnings } = await skilledScene(yes, { config: 'model_context_window = 12000' });
      skill('long', 'How to knit', 'All about needles. '.repeat(2000));
      const short = skill('short', 'How to purl', 'The other way round.');
      await open();
      await live.turn(text);
      const bodies = told(0).filter((each) => each.startsWith('<skill>'));
      expect(bodies.find((each) => each.includes('<name>short'))).toMatch(/\nThe other way round\.\n+<\/skill>$/);
      expect(bodies.find((each) => each.includes('<name>long'))).toContain('tokens cut here');
      expect(warnings()).toEqual(['skill-cut']);
      expect(live.told('warning')[0]!.outcome.message).toMatch(/^The skill long is too long/);
      expect(JSON.stringify(live.told('warning'))).not.toContain(short);
    }
  });

  it('that finds no space any more is left out, and both readers learn why', async () => {
    const { live, skill, open, warnings } = await skilledScene(
      () => {
        if (live.model.requests.length === 1) void live.thread.steer({ input: words('Use $short.') });
        return yes();
      },
      { config: 'model_context_window = 12000' },
    );
    skill('long', 'How to knit', 'All about needles. '.repeat(2000));
    skill('short', 'How to purl', 'The other way round.');
    await open();
    await live.turn('Use $long.');
    const last = live.rows(live.model.requests.length - 1).map(([, each = '']) => each);
    expect(last.at(-1)).toMatch(
      /<\/path>\n\[No space is left for the text of this skill\. Read it in the file at the path above\.\]\n<\/skill>$/,
    );
    expect(warnings()).toEqual(['skill-cut', 'skill-cut']);
    expect(live.told('warning')[1]!.outcome).toEqual({
      code: 'skill-cut',
      message: 'The skill short has no space beside the other skills of this turn. The model did not get it.',
      next: 'The model can read it itself. Name fewer skills in one turn, or shorten the longest ones.',
    });
  });
});
