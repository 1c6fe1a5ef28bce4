/** A word in quotes or without, in which the shell replaces nothing. */
const word = /^(?:'([^']*)'|"([^"$`\\!]*)"|([\w@%+,./:=-]+))/;
const blank = /^[ \t]+/;
const separator = /^(?:&&|\|\||[;|\n])/;

/**
 * The commands of a script that is nothing but plain words between `&&`, `||`, `;`, `|` and newlines; undefined when
 * anything else is in it. Far less than a shell reads: what this does not understand is matched by no prefix.
 */
export function plainCommands(script: string): readonly (readonly string[])[] | undefined {
  const commands: string[][] = [[]];
  let rest = script.trim();
  let joins = false;
  while (rest !== '') {
    const found = word.exec(rest);
    if (found !== null) {
      const text = found[1] ?? found[2] ?? found[3] ?? '';
      const current = commands.at(-1)!;
      // Two parts without a space between them are one word.
      if (joins) current[current.length - 1] += text;
      else current.push(text);
      joins = true;
      rest = rest.slice(found[0].length);
      continue;
    }
    joins = false;
    const between = blank.exec(rest) ?? separator.exec(rest);
    if (between === null) return undefined;
    if (separator.test(rest)) commands.push([]);
    rest = rest.slice(between[0].length);
  }
  const written = commands.filter((words) => words.length > 0);
  // A variable in front of a command changes what it does.
  return written.length === 0 || written.some(([first]) => first!.includes('=')) ? undefined : written;
}
