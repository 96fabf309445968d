import { describe, expect, it } from 'vitest';
import { deadlineIn } from '../../../src/http/checkout/format.ts';
import { qrPath } from '../../../src/http/checkout/qr.ts';

describe('the payment deadline on a checkout page without JavaScript', () => {
  it('is shown as date and time in the time zone of the shop', () => {
    const at = '2026-11-24T23:30:00.000Z';
    expect(deadlineIn(at, null, 'en')).toMatch(/Nov 24, 11:30\sPM UTC/);
    expect(deadlineIn(at, 'Europe/Berlin', 'de')).toMatch(/25\. Nov\., 00:30 MEZ/);
    expect(deadlineIn(at, 'America/Sao_Paulo', 'pt')).toMatch(/24 de nov\., 20:30 (BRT|GMT-3)/);
  });
});

describe('qrPath', () => {
  it('draws a QR code with a quiet zone of four modules on each side', () => {
    const { size, path } = qrPath('bitcoin:tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx?amount=0.0005');
    const corners = [...path.matchAll(/M(\d+) (\d+)h(\d+)/g)].map(([, x, y, run]) => [+x!, +y!, +x! + +run!]);
    expect(Math.min(...corners.map(([x]) => x!))).toBe(4);
    expect(Math.min(...corners.map(([, y]) => y!))).toBe(4);
    expect(Math.max(...corners.map(([, , end]) => end!))).toBe(size - 4);
  });
});
