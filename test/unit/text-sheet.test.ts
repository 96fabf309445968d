import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EMPTY, TextSheet } from '../../src/store/text-sheet.ts';

/** Few letters, so that parts occur, begin again within themselves, and straddle every step of the search. */
const letter = fc.constantFrom('a', 'a', 'b', '@', '.', 'é', 'ß', '€', '\u{1F600}', '\n', '\u{7F}');
const text = fc.string({ unit: letter, maxLength: 80 });
const part = fc.oneof(
  fc.string({ unit: letter, minLength: 1, maxLength: 4 }),
  fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 5, maxLength: 70 }),
);

function expectFound(sheet: TextSheet, texts: readonly string[], wanted: string): void {
  const expected = texts.filter((each) => each.includes(wanted));
  expect(sheet.find(wanted)).toBe(expected.length);
  expect(sheet.found(0, expected.length)).toEqual(expected);
}

test('finds exactly the texts that hold a part, however long both are, in their order', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 60 }), fc.array(part), (texts, parts) => {
      const sheet = new TextSheet();
      for (const each of texts) sheet.append(each);
      expect(sheet.size).toBe(texts.length);
      const within = texts.flatMap((each) => [each, each.slice(1), each.slice(0, 17), each.slice(-33)]);
      for (const wanted of [...parts, ...within]) {
        if (wanted !== '' && wanted.isWellFormed()) expectFound(sheet, texts, wanted);
      }
    }),
    { numRuns: 300 },
  );
});

test('finds parts that stand at every place of a step, of every length, with nothing of their neighbours', () => {
  for (let length = 1; length <= 70; length += 1) {
    const wanted = 'x'.repeat(length - 1) + 'y';
    for (let before = 0; before < 70; before += 1) {
      const texts = ['-'.repeat(before) + wanted, 'x'.repeat(length), 'y', '-'.repeat(before) + wanted + 'x'];
      const sheet = new TextSheet();
      for (const each of texts) sheet.append(each);
      expectFound(sheet, texts, wanted);
    }
  }
});

test('what was cut away is found no more, and what comes instead is', () => {
  const sheet = new TextSheet();
  sheet.append('one@shop.example');
  const mark = sheet.mark();
  sheet.append('two@shop.example');
  expect(sheet.find('@shop')).toBe(2);
  sheet.cut(mark);
  expectFound(sheet, ['one@shop.example'], '@shop');
  expectFound(sheet, ['one@shop.example'], 'two');
  sheet.append('tw');
  expectFound(sheet, ['one@shop.example', 'tw'], 'w');
  expectFound(sheet, ['one@shop.example', 'tw'], 'two');
  sheet.cut(EMPTY);
  expectFound(sheet, [], 'one');
});

test('grows with its texts, and shows a part of what it found', () => {
  const texts = Array.from({ length: 20_000 }, (_, at) => `buyer-${at}@example.com`);
  const sheet = new TextSheet();
  for (const each of texts) sheet.append(each);
  expectFound(sheet, texts, '17@');
  expectFound(sheet, texts, 'example.com');
  expect(sheet.found(19_990, 19_993)).toEqual(texts.slice(19_990, 19_993));
  expect(sheet.found(-5, 2)).toEqual(texts.slice(0, 2));
  expect(sheet.find('z'.repeat(5_000))).toBe(0);
  expect(() => sheet.find('')).toThrow(RangeError);
});
