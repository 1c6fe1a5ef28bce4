import type { Tool } from '../define.ts';

/** Constants of the ranking function BM25 as they are commonly chosen. */
const saturation = 1.2;
const lengthWeight = 0.75;

/** The tools that have a word of the query in their name, description or parameters, the most fitting first. */
export function rankTools(query: string, tools: readonly Tool[]): readonly Tool[] {
  const documents = tools.map((tool) => ({ tool, words: wordsOf(`${tool.name} ${JSON.stringify(tool.spec)}`) }));
  const average = documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, documents.length);
  const wanted = [...new Set(wordsOf(query))];
  const rarity = new Map(
    wanted.map((word) => {
      const having = documents.filter(({ words }) => words.includes(word)).length;
      return [word, Math.log(1 + (documents.length - having + 0.5) / (having + 0.5))];
    }),
  );
  const scored = documents.map(({ tool, words }) => {
    const norm = saturation * (1 - lengthWeight + (lengthWeight * words.length) / Math.max(1, average));
    const score = wanted.reduce((sum, word) => {
      const times = words.filter((each) => each === word).length;
      return sum + ((rarity.get(word) ?? 0) * times * (saturation + 1)) / (times + norm);
    }, 0);
    return { tool, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
