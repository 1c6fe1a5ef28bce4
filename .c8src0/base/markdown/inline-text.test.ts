import { expect, it } from 'vitest';
import { decodeEntities } from './inline-text.ts';

it.each([
  ['&eacute;&uuml;&szlig;&yuml; &Agrave;&ETH;&THORN; &iexcl;&brvbar;&frac34;&iquest;', 'éüßÿ ÀÐÞ ¡¦¾¿'],
  ['&Alpha;&Rho;&Sigma;&Omega; &alpha;&rho;&sigmaf;&sigma;&omega;', 'ΑΡΣΩ αρςσω'],
  ['&hearts;&spades; &le;&ge; &forall;&notin; &lang;x&rang; &mdash;&hellip;', '♥♠ ≤≥ ∀∉ ⟨x⟩ —…'],
  ['&lt;b&gt; &amp;amp; &lowbar;&ast;&grave;&bsol;&vert;', '<b> &amp; _*`\\|'],
  ['a&nbsp;b&#160;c &#8594; &#x1F600;', 'a b c → 😀'],
  // Invisible, unassigned, unknown, or no entity.
  ['&shy; &zwj; &lrm; &#173; &#0; &#xD800;', '&shy; &zwj; &lrm; &#173; &#0; &#xD800;'],
  ['&Sigmaf; &-; &Eacut; &eacute &constructor;', '&Sigmaf; &-; &Eacut; &eacute &constructor;'],
])('%s', (text, shown) => {
  expect(decodeEntities(text)).toBe(shown);
});
