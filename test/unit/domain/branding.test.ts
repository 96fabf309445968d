import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { contrastRatio, detectLogoType, readableAccent } from '../../../src/domain/branding.ts';

const colors = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);

const bytes = (text: string): Uint8Array => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

describe('readableAccent and contrastRatio', () => {
  test.each([
    ['#ffffff', '#000000', 21],
    ['#000000', '#000000', 1],
    // As other tools reckon it.
    ['#0b6e4f', '#ffffff', 6.23],
    ['#777777', '#ffffff', 4.48],
  ])('compute for %s on %s the contrast %s', (a, b, contrast) => {
    expect(contrastRatio(a, b)).toBeCloseTo(contrast, 1);
    expect(contrastRatio(b, a)).toBe(contrastRatio(a, b));
  });

  it('make any accent colour readable in light and dark mode, as text and as background', () => {
    const property = fc.property(
      colors,
      fc.constantFrom('light' as const, 'dark' as const),
      (color, scheme) => {
        const { accent, ink, soft } = readableAccent(color, scheme);
        const grounds =
          scheme === 'light' ? ['#ffffff', '#f4f3ef', '#f7f6f3'] : ['#0e1311', '#171d1a', '#1e2522'];
        for (const ground of [...grounds, soft])
          expect(contrastRatio(accent, ground)).toBeGreaterThanOrEqual(4.5);
        expect(contrastRatio(accent, ink)).toBeGreaterThanOrEqual(4.5);
        const written = scheme === 'light' ? '#16201c' : '#eef2f0';
        expect(contrastRatio(written, soft)).toBeGreaterThanOrEqual(4.5);
      },
    );
    fc.assert(property, { numRuns: 1_000 });
  });

  it('do not change an accent colour that is readable', () => {
    expect(readableAccent('#0b6e4f', 'light').accent).toBe('#0b6e4f');
    expect(readableAccent('#4cc795', 'dark').accent).toBe('#4cc795');
    expect(readableAccent('#ffff00', 'dark').ink).toBe('#000000');
  });
});

describe('detectLogoType', () => {
  test.each([
    ['\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'image/png'],
    ['\xff\xd8\xff\xe0\0\x10JFIF', 'image/jpeg'],
    ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
    ['<svg xmlns="http://www.w3.org/2000/svg">', null],
    ['GIF89a', null],
    ['RIFF\x10\0\0\0WAVEfmt ', null],
    ['<!doctype html>', null],
    ['\x89PNG', null],
    ['', null],
  ])('detects a file that begins with %j as %s', (head, type) => {
    expect(detectLogoType(bytes(head))).toBe(type);
  });
});
