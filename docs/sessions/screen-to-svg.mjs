// Draws lines with the colours of a terminal as SVG. It knows what Capstan prints: eight colours, bold and dim.

const [charWidth, lineHeight, padding, fontSize] = [7.8, 17, 12, 13];
const [captionHeight, gap] = [22, 8];

const palette = {
  31: ['r', '#ff7b72'],
  32: ['g', '#7ee787'],
  33: ['y', '#e3b341'],
  34: ['u', '#79c0ff'],
  35: ['m', '#d2a8ff'],
  36: ['c', '#76e3ea'],
};

// Its own dark ground, so that it can be read on light and on dark pages.
const style = [
  `text{font:${fontSize}px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}`,
  '.b{font-weight:700}.d{fill:#9198a1}.n{fill:#9198a1;font-style:italic}',
  ...Object.values(palette).map(([name, color]) => `.${name}{fill:${color}}`),
].join('');

/** The frames below each other, each with its caption. */
export function screenToSvg(frames, { columns, title }) {
  const width = Math.ceil(columns * charWidth + 2 * padding);
  const parts = [];
  let top = padding;
  for (const { caption, lines } of frames) {
    if (top > padding) {
      parts.push(`<line x1="0" x2="${width}" y1="${top}" y2="${top}" stroke="#3d444d"/>`);
      top += gap;
    }
    if (caption !== undefined) {
      parts.push(`<text class="n" x="${padding}" y="${top + fontSize}"># ${escaped(caption)}</text>`);
      top += captionHeight;
    }
    const look = { bold: false, dim: false, color: undefined };
    for (const line of lines) {
      const shown = styled(line, look);
      if (shown !== '') parts.push(`<text x="${padding}" y="${top + fontSize}">${shown}</text>`);
      top += lineHeight;
    }
    top += gap;
  }
  const height = top + padding - gap;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" xml:space="preserve">`,
    `<title>${escaped(title)}</title><style>${style}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

/** A line with its sequences as classes. A look lasts over the end of the line. */
function styled(line, look) {
  return line
    .split(/(\u001B\[[\d;]*m)/)
    .map((piece) => {
      const [, codes] = /^\u001B\[([\d;]*)m$/.exec(piece) ?? [];
      if (codes === undefined) return piece === '' ? '' : spanned(piece, look);
      for (const code of codes.split(';').map(Number)) change(look, code);
      return '';
    })
    .join('');
}

function change(look, code) {
  if (code === 0) Object.assign(look, { bold: false, dim: false, color: undefined });
  else if (code === 1) look.bold = true;
  else if (code === 2) look.dim = true;
  else if (code === 22) Object.assign(look, { bold: false, dim: false });
  else if (code === 39) look.color = undefined;
  else if (code in palette) [look.color] = palette[code];
}

function spanned(text, { bold, dim, color }) {
  const classes = [bold && 'b', color ?? (dim && 'd')].filter(Boolean).join(' ');
  return classes === '' ? escaped(text) : `<tspan class="${classes}">${escaped(text)}</tspan>`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
