/** The text as HTML shows it, between tags or in an attribute with quotes. Hidden characters are the caller's to show. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => signs.get(sign)!);
}

const signs = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }));
