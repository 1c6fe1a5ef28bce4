import { expect, test } from 'vitest';
import { unambiguousLine } from './exact-text.ts';

test.each([
  // Program names, options, hosts and paths.
  ['сору a b', '<U+0441><U+043E><U+0440><U+0443> a b'],
  ['sudo сору новый', 'sudo <U+0441><U+043E><U+0440><U+0443> новый'],
  ['pаypal', 'p<U+0430>ypal'],
  ['curl https://gооgle.com', 'curl https://g<U+043E><U+043E>gle.com'],
  ['curl https://сос.ру', 'curl https://<U+0441><U+043E><U+0441>.<U+0440><U+0443>'],
  ['rm --fоrce', 'rm --f<U+043E>rce'],
  ['rm –rf', 'rm <U+2013>rf'],
  ['cat /еtс/passwd', 'cat /<U+0435>t<U+0441>/passwd'],
  ['rm ——force', 'rm <U+2014><U+2014>force'],
  ['curl example․com', 'curl example<U+2024>com'],
  ['cat a∕b', 'cat a<U+2215>b'],
  ['ｒｍ -rf', '<U+FF52><U+FF4D> -rf'],
  ['𝐫𝐦 x', '<U+1D42B><U+1D426> x'],
  ['ο', '<U+03BF>'],
  ['bash -c "сору новый"', 'bash -c "<U+0441><U+043E><U+0440><U+0443> новый"'],
  // Words of real languages stay.
  ['git commit -m "Привет, мир: а это с нами"', undefined],
  ['git commit -m "с новым годом"', undefined],
  ['echo Καλημέρα κόσμε', undefined],
  ['mkdir документы/отчёт', undefined],
  ['git commit -m "修复（错误）：完成"', undefined],
  ['git commit -m "Add x – and y—z …"', undefined],
  ['echo sınıf naïve Ångström', undefined],
])('%s', (text, shown = text) => {
  expect(unambiguousLine(text, 'words')).toBe(shown);
});

test('prose marks mixed words alone', () => {
  expect(unambiguousLine('А также о том, с чем pаypal – и ｒｍ')).toBe(
    'А также о том, с чем p<U+0430>ypal – и <U+FF52><U+FF4D>',
  );
});
