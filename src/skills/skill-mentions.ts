/** What a text names as skills: by name, or by the path of their file. */
export interface SkillMentions {
  readonly names: readonly string[];
  readonly paths: readonly string[];
}

/** Variables that people write about. */
const variables = new Set(
  'PATH HOME USER SHELL PWD TMPDIR TEMP TMP LANG TERM XDG_CONFIG_HOME EDITOR LOGNAME OLDPWD'.split(' '),
);

const link = /\[\$[\w:-]{1,200}\]\(([^()\s]{1,4096})\)/g;
const name = /\$([A-Za-z\d][\w:-]{0,199})/g;

/** Finds `[$name](path)` and `$name`, each once, in the order of the text. */
export function skillMentions(text: string): SkillMentions {
  const paths = [...text.matchAll(link)].map(([, path = '']) => path.replace(/^skill:\/\//, ''));
  const plain = text.replace(link, ' ');
  const names = [...plain.matchAll(name)].map(([, word = '']) => word).filter((word) => !variables.has(word));
  return { names: [...new Set(names)], paths: [...new Set(paths)].filter(isPath) };
}

/** Links to other things have a scheme of their own. */
function isPath(target: string): boolean {
  return !/^[a-z][a-z\d+.-]*:\/\//i.test(target);
}
